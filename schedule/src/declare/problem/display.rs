//! The text of each problem, with its fix.

use core::fmt::{self, Display};

use super::{NamedBy, Problem, Step, Undeclared, name, place};
use crate::base::escape::shown;
use crate::base::module_path::split;
use crate::base::place::SystemPlace;
use crate::declare::messages::{self, write_message};

impl Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Cycle(cycle) => cycle.fmt(f),
            Problem::Race(race) => {
                write!(f, "race: ")?;
                race.write_on(f, 0)
            }
            Problem::WritersFirst(cycle) => write_message!(
                f,
                WRITERS_FIRST,
                path = Step::path(&cycle.steps),
                steps = Step::reasons(&cycle.steps)
            ),
            Problem::Dangling {
                name: missing,
                named_by,
                nearest,
                same_name,
                location,
            } => {
                let (name, location) = (name(missing), place(location));
                let nearest = nearest.as_ref().filter(|_| same_name.is_none());
                if nearest == Some(missing) {
                    return write_message!(
                        f,
                        DANGLING_BESIDE_NAMESAKE,
                        name = name,
                        location = location
                    );
                }
                let is_similar = nearest.is_some() || same_name.is_some();
                if *named_by == NamedBy::StateChange && !is_similar {
                    return write_message!(f, DANGLING_STATE, name = name, location = location);
                }
                write_message!(
                    f,
                    DANGLING,
                    name = name,
                    location = location;
                    otherwise = named_by.otherwise().filter(|_| !is_similar),
                    nearest = nearest.map(super::name),
                    same_name = same_name.as_ref().map(super::name)
                )
            }
            Problem::Removed {
                removed,
                named_by,
                location,
            } => write_message!(
                f,
                REMOVED,
                removed = removed,
                location = place(location),
                fix = named_by.fix_of_removed()
            ),
            Problem::RemovedEarlier { named_by, location } => write_message!(
                f,
                REMOVED_EARLIER,
                location = place(location),
                fix = named_by.fix_of_removed()
            ),
            Problem::BuiltInChange => write_message!(f, BUILT_IN_CHANGE),
            Problem::Ambiguous {
                name: named,
                candidates,
                location,
            } => write_message!(
                f,
                AMBIGUOUS,
                name = name(named),
                location = place(location),
                candidates = fmt::from_fn(|f| candidates
                    .iter()
                    .try_for_each(|one| write_message!(f, CANDIDATE, candidate = one))),
                fix = fmt::from_fn(|f| write_fix_of_ambiguous(f, named, candidates))
            ),
            Problem::GroupInItself { groups, location } => {
                let first = groups.first().map_or("", String::as_str);
                write_message!(
                    f,
                    GROUP_IN_ITSELF,
                    path = fmt::from_fn(|f| {
                        for group in groups {
                            write_message!(f, IN_GROUP, group = name(group))?;
                        }
                        name(first).fmt(f)
                    }),
                    location = place(location)
                )
            }
            Problem::GroupAgainstMember {
                group,
                member,
                location,
            } => write_message!(
                f,
                GROUP_AGAINST_MEMBER,
                member = name(member),
                group = name(group),
                location = place(location)
            ),
            Problem::LoopAgainstBody {
                repeat,
                node,
                location,
            } => write_message!(
                f,
                LOOP_AGAINST_BODY,
                node = node,
                repeat = repeat,
                location = place(location)
            ),
            Problem::GroupOverLevels {
                group,
                first,
                second,
            } => write_message!(
                f,
                GROUP_OVER_LEVELS,
                member = second,
                first = first,
                group = name(group)
            ),
            Problem::ConditionDeeper {
                condition,
                guarded,
                location,
            } => write_message!(
                f,
                CONDITION_DEEPER,
                guarded = guarded,
                condition = condition,
                location = place(location)
            ),
            Problem::GuardsItself {
                condition,
                location,
            } => write_message!(
                f,
                GUARDS_ITSELF,
                condition = condition,
                location = place(location)
            ),
            Problem::GuardIsLoop {
                condition,
                location,
            } => write_message!(
                f,
                GUARD_IS_LOOP,
                condition = condition,
                location = place(location)
            ),
            Problem::WrongAnswer {
                condition,
                answers: None,
                wanted,
                location,
            } => write_message!(
                f,
                ANSWERS_NOTHING,
                condition = condition,
                location = place(location),
                wanted = plain(wanted)
            ),
            Problem::WrongAnswer {
                condition,
                answers: Some(answers),
                wanted,
                location,
            } => write_message!(
                f,
                WRONG_ANSWER,
                condition = condition,
                answers = plain(answers),
                location = place(location),
                wanted = plain(wanted)
            ),
            Problem::FoldAndUse { system, resource } => write_message!(
                f,
                FOLD_AND_USE,
                system = system,
                subject = name(resource),
                argument = shown(resource)
            ),
            Problem::ReaderBetweenWriters(between) => between.fmt(f),
            Problem::EmptyName { location } => {
                write_message!(f, EMPTY_NAME, location = place(location))
            }
            Problem::NothingAdded { location } => {
                write_message!(f, NOTHING_ADDED, location = place(location))
            }
            Problem::NoLoop { location } => write_message!(f, NO_LOOP, location = place(location)),
            Problem::NotApplicable {
                named,
                call,
                applies_to,
                location,
            } => write_message!(
                f,
                NOT_APPLICABLE,
                named = name(named),
                call = call,
                applies_to = applies_to,
                location = place(location)
            ),
            Problem::NotMeasured { named, location } => write_message!(
                f,
                NOT_MEASURED,
                named = name(named),
                location = place(location)
            ),
            Problem::BodyWithoutLoop { named, location } => write_message!(
                f,
                BODY_WITHOUT_LOOP,
                named = name(named),
                location = place(location)
            ),
            Problem::TwoPolicies {
                subject,
                first,
                second,
            } => write_message!(
                f,
                TWO_POLICIES,
                subject = shown(subject),
                first = name(&first.0),
                first_location = place(first.1),
                second = name(&second.0),
                second_location = place(second.1)
            ),
            Problem::NotDeclared { what, location } => write_undeclared(f, what, place(location)),
            Problem::SameGroupName {
                name: group,
                of_type,
                of_name,
            } => write_message!(
                f,
                SAME_GROUP_NAME,
                group = name(group),
                of_type = place(of_type),
                of_name = place(of_name)
            ),
            Problem::SameIdentity { first, second } => {
                write_message!(f, SAME_IDENTITY, first = first, second = second)
            }
        }
    }
}

/// Writes how to name one of several nodes with the same name.
fn write_fix_of_ambiguous(
    f: &mut fmt::Formatter<'_>,
    named: &str,
    candidates: &[SystemPlace],
) -> fmt::Result {
    let has_path = |one: &&SystemPlace| short(&one.name) != one.name && one.name != named;
    let n_called = |one: &SystemPlace| {
        let same = candidates.iter().filter(|other| other.name == one.name);
        same.count()
    };
    match candidates.iter().find(has_path) {
        Some(first) if candidates.iter().all(|one| n_called(one) == 1) => {
            write_message!(f, NAME_BY_MODULE, candidate = name(&first.name))
        }
        _ => f.write_str(messages::NAME_BY_NODE),
    }
}

fn write_undeclared(
    f: &mut fmt::Formatter<'_>,
    what: &Undeclared,
    location: impl Display,
) -> fmt::Result {
    match what {
        Undeclared::Order { first, then } => write_message!(
            f,
            NO_ORDER,
            first = name(first),
            then = name(then),
            location = location
        ),
        Undeclared::Membership { member, group } => write_message!(
            f,
            NO_MEMBERSHIP,
            member = name(member),
            group = name(group),
            location = location
        ),
        Undeclared::Guard { guarded } => {
            write_message!(f, NO_GUARD, guarded = name(guarded), location = location)
        }
        Undeclared::PairPolicy { one, other } => write_message!(
            f,
            NO_PAIR_POLICY,
            one = name(one),
            other = name(other),
            location = location
        ),
        Undeclared::Setting { call, target } => write_message!(
            f,
            NO_SETTING,
            call = call,
            target = name(target),
            location = location
        ),
        Undeclared::FailurePolicy { target } => write_message!(
            f,
            NO_FAILURE_POLICY,
            target = name(target),
            location = location
        ),
    }
}

/// The name without its module path.
fn short(name: &str) -> &str {
    split(name).map_or(name, |(_, short)| short)
}

/// The type without its path.
fn plain(type_name: &str) -> impl Display {
    name(type_name.rsplit("::").next().unwrap_or(type_name))
}
