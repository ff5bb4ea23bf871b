//! What is wrong with the declaration of a schedule, and how it prints.

mod cycle;
mod race;
mod refused;
mod remedy;
mod warning;

use core::fmt;
use core::panic::Location;

pub use self::cycle::{Cycle, Step, StepOrigin};
use self::race::write_races;
pub use self::race::{Accepted, Race, RaceOn, Subject};
pub(crate) use self::refused::Refused;
pub(crate) use self::remedy::KnownBy;
pub use self::remedy::{MissingOrder, Remedy};
pub use self::warning::Warning;

use crate::escape::shown;
use crate::module_path::split;
use crate::place::SystemPlace;

/// Everything that is wrong with a schedule; it was not built.
pub struct BuildError {
    schedule: String,
    problems: Vec<Problem>,
    remedy: Option<Remedy>,
    /// `None` if it never came to nodes and edges.
    refused: Option<Box<Refused>>,
}

impl BuildError {
    pub(crate) fn new(schedule: String, problems: Vec<Problem>) -> Self {
        Self {
            schedule,
            problems,
            remedy: None,
            refused: None,
        }
    }

    /// The same, with what would end the races.
    pub(crate) fn with_remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// The same, with what was refused.
    pub(crate) fn of(mut self, refused: Refused) -> Self {
        self.refused = Some(Box::new(refused));
        self
    }

    /// The problems, in the order in which they print: races last. Every race is one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The races.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.problems.iter().filter_map(|problem| match problem {
            Problem::Race(race) => Some(race),
            _ => None,
        })
    }

    /// Orders that end all races, and of which none can be left out; `None` if nothing races, or if orders contradict
    /// each other: which ones are to go comes first then.
    ///
    /// ```
    /// use schedule::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Health(i32);
    ///
    /// #[system]
    /// fn poison(health: &mut Health) {}
    ///
    /// #[system]
    /// fn heal(health: &mut Health) {}
    ///
    /// #[system]
    /// fn bury(health: &Health) {}
    ///
    /// let mut builder = Schedule::builder();
    /// let error = builder.add::<poison>().add::<heal>().add::<bury>().build().unwrap_err();
    /// assert_eq!(error.races().count(), 3);
    /// let remedy = error.remedy().unwrap();
    /// assert_eq!(remedy.orders().len(), 2);
    ///
    /// builder.add::<poison>().add::<heal>().add::<bury>();
    /// for order in remedy.orders() {
    ///     builder.order(order.first_node, order.then_node);
    /// }
    /// assert!(builder.build().is_ok());
    /// ```
    pub fn remedy(&self) -> Option<&Remedy> {
        self.remedy.as_ref()
    }

    /// What ends the races, or why that is not told.
    fn write_remedy(&self, f: &mut fmt::Formatter<'_>, n_races: usize) -> fmt::Result {
        let Some(remedy) = &self.remedy else {
            return write!(
                f,
                "\n  help: end the cycles first; then it is told which orders end the races"
            );
        };
        f.write_str("\n  help: ")?;
        match (remedy.orders().len(), n_races) {
            (1, 1) => f.write_str("this order ends the race")?,
            (1, _) => f.write_str("this order ends all races")?,
            (n, _) => write!(f, "{n} orders end all races, and none can be left out")?,
        }
        f.write_str("\n")?;
        remedy.write_first(f, "      ")
    }
}

impl std::error::Error for BuildError {}

/// As it displays: this is what `main` prints of an error that it returns.
impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schedule = shown(&self.schedule);
        match self.problems.len() {
            1 => write!(f, "1 problem in schedule `{schedule}`")?,
            n => write!(f, "{n} problems in schedule `{schedule}`")?,
        }
        for problem in &self.problems {
            if !matches!(problem, Problem::Race(_)) {
                write!(f, "\n  {problem}")?;
            }
        }
        let races: Vec<&Race> = self.races().collect();
        write_races(f, &races)?;
        match races.len() {
            0 => Ok(()),
            n_races => self.write_remedy(f, n_races),
        }
    }
}

/// One thing that is wrong with a schedule.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Orders that contradict each other.
    Cycle(Cycle),
    /// Two systems that conflict, with nothing that orders them.
    Race(Race),
    /// [`Policy::WritersFirst`](crate::Policy::WritersFirst) cannot order these: the cycle holds edges that it made.
    WritersFirst(Cycle),
    /// An order, a condition, a group or a policy names what was never added.
    Dangling {
        /// What was named.
        name: String,
        /// What names it.
        named_by: NamedBy,
        /// The nearest name that was added, if one is near.
        nearest: Option<String>,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// An order, a guard or a policy names what was removed.
    Removed {
        /// What was removed.
        removed: SystemPlace,
        /// What names it.
        named_by: NamedBy,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// The builder of a change was built by itself, or taken away.
    BuiltInChange,
    /// An order or a policy names what fits several systems.
    Ambiguous {
        /// What was named.
        name: String,
        /// All that it fits.
        candidates: Vec<SystemPlace>,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A group that is inside itself.
    GroupInItself {
        /// The groups, from the first one in to the one that holds it.
        groups: Vec<String>,
        /// Where the last of these memberships was declared.
        location: &'static Location<'static>,
    },
    /// A group that is ordered against what is in it.
    GroupAgainstMember {
        /// The group.
        group: String,
        /// What is in it.
        member: String,
        /// Where the order was declared.
        location: &'static Location<'static>,
    },
    /// A loop that is ordered against what is in it.
    LoopAgainstPart {
        /// The loop.
        repeat: SystemPlace,
        /// What is in it.
        part: SystemPlace,
        /// Where the order was declared.
        location: &'static Location<'static>,
    },
    /// A group with members of several levels: in a loop and outside of it.
    GroupOverLevels {
        /// The group.
        group: String,
        /// A member.
        first: SystemPlace,
        /// A member of another level.
        second: SystemPlace,
    },
    /// A node is guarded by a condition that stands in a loop which that node is not in.
    ConditionDeeper {
        /// The condition.
        condition: SystemPlace,
        /// What it was to guard.
        guarded: SystemPlace,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A node is guarded by itself.
    GuardsItself {
        /// The node.
        condition: SystemPlace,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A node is guarded by a loop.
    GuardIsLoop {
        /// The loop.
        condition: SystemPlace,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A node is guarded by something that does not answer what is wanted of it.
    WrongAnswer {
        /// What was named.
        condition: SystemPlace,
        /// The type that it answers, if it answers anything.
        answers: Option<String>,
        /// The type that is wanted.
        wanted: String,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A policy of a pair, or of a failure, names a group.
    GroupInPolicy {
        /// The group.
        group: String,
        /// Where the policy was chosen.
        location: &'static Location<'static>,
    },
    /// A builder was told something about the last one that was added, before anything was.
    NothingAdded {
        /// Where it was told.
        location: &'static Location<'static>,
    },
    /// A bound of iterations was given to something that is no loop.
    NoLoop {
        /// Where it was given.
        location: &'static Location<'static>,
    },
    /// A group, a checkpoint or a flush was bound to the thread that calls `run`.
    NotBound {
        /// The group, the checkpoint or the flush.
        named: String,
        /// Where [`Builder::on_main_thread`](crate::Builder::on_main_thread) was called.
        location: &'static Location<'static>,
    },
    /// Parts were given to something that is no loop.
    PartsOfNoLoop {
        /// What was named.
        named: String,
        /// Where it was named.
        location: &'static Location<'static>,
    },
    /// A policy for a resource, or for a pair, that was given two different ones.
    TwoPolicies {
        /// For what.
        subject: String,
        /// The first.
        first: (String, &'static Location<'static>),
        /// The other.
        second: (String, &'static Location<'static>),
    },
    /// Two types of system, group or checkpoint have the same [`Identity::ID`](crate::Identity::ID).
    SameIdentity {
        /// The one that was added first.
        first: SystemPlace,
        /// The other.
        second: SystemPlace,
    },
}

/// What names something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedBy {
    /// An order.
    StrictOrder,
    /// An order of two that counts only if they conflict.
    WeakOrder,
    /// A condition.
    RunCondition,
    /// The membership of something in a group.
    GroupMember,
    /// A policy.
    PolicyRule,
    /// A call, as [`Builder::remove`](crate::Builder::remove).
    Call,
}

impl NamedBy {
    /// What may be done instead of adding what is named.
    fn otherwise(self) -> &'static str {
        match self {
            NamedBy::StrictOrder => ", or use `after_if_present` or `before_if_present`",
            NamedBy::WeakOrder => ", or remove this order",
            NamedBy::RunCondition => {
                ", or name a condition by its type, as in `Condition::of::<is_alive>()`: it need not be added"
            }
            NamedBy::GroupMember => ", or remove this membership",
            NamedBy::PolicyRule => ", or remove this policy",
            NamedBy::Call => "",
        }
    }
}

impl Problem {
    /// The same, of something that this names.
    pub(crate) fn named_by(mut self, by: NamedBy) -> Self {
        if let Self::Dangling { named_by, .. } | Self::Removed { named_by, .. } = &mut self {
            *named_by = by;
        }
        self
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

fn place(location: &Location<'_>) -> impl fmt::Display {
    let (file, line) = (location.file().to_string(), location.line());
    fmt::from_fn(move |f| write!(f, "{file}:{line}"))
}

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
                location,
            } => {
                write!(
                    f,
                    "`{}` was never added, but is named at {}",
                    shown(name),
                    place(location)
                )?;
                match nearest {
                    Some(nearest) if nearest == name => {
                        write!(
                            f,
                            "\n      help: what was added is another one of this name"
                        )
                    }
                    Some(nearest) if short(nearest) == short(name) => {
                        write!(
                            f,
                            "\n      help: add it; `{}` was added, which is another one of this name",
                            shown(nearest)
                        )
                    }
                    Some(nearest) => {
                        write!(
                            f,
                            "\n      help: add it; or did you mean `{}`?",
                            shown(nearest)
                        )
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
                let has_path = |one: &&SystemPlace| short(&one.name) != one.name;
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
                "`{named}` cannot be bound to the main thread at {}: only systems and loops can\n      \
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

/// What was named fits no node of a schedule, or several.
pub struct TargetError(pub(crate) Problem);

impl TargetError {
    /// What is wrong with the name: a [`Problem::Dangling`], [`Problem::Removed`] or [`Problem::Ambiguous`].
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl std::error::Error for TargetError {}

/// As it displays: this is what `main` prints of an error that it returns.
impl fmt::Debug for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An order that a builder refused; it is as it was before.
pub struct OrderError(pub(crate) Problem);

impl OrderError {
    /// What is wrong with the order: a [`Problem::Cycle`] that it would close, or what it names was not added.
    pub fn problem(&self) -> &Problem {
        &self.0
    }
}

impl std::error::Error for OrderError {}

/// As it displays: this is what `main` prints of an error that it returns.
impl fmt::Debug for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for OrderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the order was refused\n  {}", self.0)
    }
}
