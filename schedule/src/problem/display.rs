//! The text of each problem, with its fix.

use core::fmt;

use super::{NamedBy, Problem, Step, place};
use crate::escape::shown;
use crate::module_path::split;
use crate::place::SystemPlace;

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Cycle(cycle) => cycle.fmt(f),
            Problem::Race(race) => {
                write!(f, "race: ")?;
                race.write_on(f, 0)
            }
            Problem::WritersFirst(cycle) => {
                write!(f, "writers first cannot order these: ")?;
                Step::write_path(&cycle.steps, f)?;
                write!(
                    f,
                    "\n      help: order the writers, or give the resource another policy"
                )
            }
            Problem::Dangling {
                name,
                named_by,
                nearest,
                same_name,
                location,
            } => {
                write!(
                    f,
                    "`{}` was never added, but is named at {}",
                    shown(name),
                    place(location)
                )?;
                if let Some(other) = same_name {
                    return write!(
                        f,
                        "\n      help: add it; `{}` has the same name in another module",
                        shown(other)
                    );
                }
                match nearest {
                    Some(nearest) if nearest == name => {
                        write!(
                            f,
                            "\n      help: what was added is another one of this name"
                        )
                    }
                    Some(nearest) => {
                        write!(
                            f,
                            "\n      help: add it; or did you mean `{}`?",
                            shown(nearest)
                        )
                    }
                    None if *named_by == NamedBy::StateChange => {
                        write!(f, "\n      help: add `{}`", shown(name))
                    }
                    None => write!(f, "\n      help: add it{}", named_by.otherwise()),
                }
            }
            Problem::Removed {
                removed,
                named_by,
                location,
            } => {
                write!(
                    f,
                    "{removed} was removed, but is named at {}\n      help: ",
                    place(location)
                )?;
                f.write_str(match named_by {
                    NamedBy::StateChange => "add it again, or remove `on_enter` or `on_exit` as well",
                    NamedBy::StrictOrder => {
                        "remove this order as well, or use `after_if_present` or `before_if_present`"
                    }
                    NamedBy::WeakOrder => "remove this order as well",
                    NamedBy::RunCondition => "remove this condition as well",
                    NamedBy::GroupMember => "remove this membership as well",
                    NamedBy::PolicyRule => "remove this policy as well",
                    NamedBy::Call => "add it again",
                })
            }
            Problem::BuiltInChange => write!(
                f,
                "the builder of a change was built, or taken away\n      \
                 help: leave it where it is: `Schedule::change` builds it"
            ),
            Problem::Ambiguous {
                name,
                candidates,
                location,
            } => {
                write!(
                    f,
                    "`{}`, named at {}, fits several:",
                    shown(name),
                    place(location)
                )?;
                for candidate in candidates {
                    write!(f, "\n      {candidate}")?;
                }
                let has_path =
                    |one: &&SystemPlace| short(&one.name) != one.name && one.name != *name;
                let n_called = |one: &SystemPlace| {
                    let same = candidates.iter().filter(|other| other.name == one.name);
                    same.count()
                };
                if let Some(first) = candidates.iter().find(has_path)
                    && candidates.iter().all(|one| n_called(one) == 1)
                {
                    return write!(
                        f,
                        "\n      help: name one of them with its module, as in `{}`",
                        first.name
                    );
                }
                write!(
                    f,
                    "\n      help: name one of them by what `Builder::last` returned when it was added: to `Builder::order`, or \
                     to `Condition::added`"
                )
            }
            Problem::GroupInItself { groups, location } => {
                write!(f, "group inside itself: ")?;
                for group in groups {
                    write!(f, "`{}` in ", shown(group))?;
                }
                let first = groups.first().map_or("", String::as_str);
                write!(
                    f,
                    "`{}`; the last is declared at {}",
                    shown(first),
                    place(location)
                )
            }
            Problem::GroupAgainstMember {
                group,
                member,
                location,
            } => write!(
                f,
                "`{}` is in group `{}` and is ordered against it at {}\n      \
                 help: order it against the other members",
                shown(member),
                shown(group),
                place(location)
            ),
            Problem::LoopAgainstPart {
                repeat,
                part,
                location,
            } => write!(
                f,
                "{part} is in the loop {repeat} and is ordered against it at {}\n      \
                 help: order it against the other parts, or the loop against what is outside",
                place(location)
            ),
            Problem::GroupOverLevels {
                group,
                first,
                second,
            } => write!(
                f,
                "group `{}` has members of several levels: {first} and {second}\n      \
                 help: a loop counts as one: make the whole loop a member, or a group for each level",
                shown(group)
            ),
            Problem::ConditionDeeper {
                condition,
                guarded,
                location,
            } => write!(
                f,
                "{guarded} is guarded at {} by {condition}, which is in a loop that {guarded} is not in\n      \
                 help: add the condition at the level of what it guards, or further out",
                place(location)
            ),
            Problem::GuardsItself {
                condition,
                location,
            } => write!(
                f,
                "{condition} is guarded by itself, at {}\n      \
                 help: guard it by another condition",
                place(location)
            ),
            Problem::GuardIsLoop {
                condition,
                location,
            } => write!(
                f,
                "the loop {condition} is named as a condition at {}\n      \
                 help: its condition is asked once for each iteration; add one of its own for the guard",
                place(location)
            ),
            Problem::WrongAnswer {
                condition,
                answers,
                wanted,
                location,
            } => {
                match answers {
                    None => write!(
                        f,
                        "{condition} answers nothing, and is named as a condition at {}",
                        place(location)
                    )?,
                    Some(answers) => write!(
                        f,
                        "{condition} answers `{}`, and at {} a `{}` is wanted",
                        plain(answers),
                        place(location),
                        plain(wanted)
                    )?,
                }
                write!(f, "\n      help: let it return `{}`", plain(wanted))
            }
            Problem::GroupInPolicy { group, location } => write!(
                f,
                "`{}` is a group, and the policy chosen at {} is about single systems\n      \
                 help: name each system, or set the policy for a resource or for the schedule",
                shown(group),
                place(location)
            ),
            Problem::NothingAdded { location } => write!(
                f,
                "nothing was added before {}\n      \
                 help: say this after adding the system that it is about",
                place(location)
            ),
            Problem::NoLoop { location } => write!(
                f,
                "what `at_most` is said about at {} is no loop\n      \
                 help: say it behind the parts of the loop: `.repeat_while::<…>(|…| …).at_most(…)`",
                place(location)
            ),
            Problem::NotBound { named, location } => write!(
                f,
                "`{named}` cannot be bound to the main thread at {}: `on_main_thread` applies only to systems and loops\n      \
                 help: call `.on_main_thread()` right after each system that must run there",
                place(location)
            ),
            Problem::PartsOfNoLoop { named, location } => write!(
                f,
                "`{}`, which is given parts at {}, is no loop\n      \
                 help: name a loop as orders do: by its condition",
                shown(named),
                place(location)
            ),
            Problem::TwoPolicies {
                subject,
                first,
                second,
            } => write!(
                f,
                "{} has two policies: {} at {} and {} at {}",
                shown(subject),
                first.0,
                place(first.1),
                second.0,
                place(second.1)
            ),
            Problem::SameIdentity { first, second } => write!(
                f,
                "identity: {first} and {second} are different types with the same number\n      \
                 help: rename one of them, or move it to another line"
            ),
        }
    }
}

/// A name without the modules in front of it.
fn short(name: &str) -> &str {
    split(name).map_or(name, |(_, short)| short)
}

/// A type without the path to it.
fn plain(type_name: &str) -> &str {
    type_name.rsplit("::").next().unwrap_or(type_name)
}
