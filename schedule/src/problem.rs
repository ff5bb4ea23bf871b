//! What is wrong with the declaration of a schedule, and how it prints.

mod clause_error;
mod cycle;
mod display;
mod named_by;
mod order_error;
mod race;
mod refused;
mod remedy;
mod target_error;
mod warning;

use core::fmt;
use core::panic::Location;

pub use self::clause_error::ClauseError;
pub use self::cycle::{Cycle, Step, StepOrigin};
pub use self::named_by::NamedBy;
pub use self::order_error::OrderError;
pub(crate) use self::race::RaceCounts;
use self::race::write_races;
pub use self::race::{Accepted, Race, RaceOn, Subject};
pub(crate) use self::refused::Refused;
pub(crate) use self::remedy::KnownBy;
pub use self::remedy::{MissingOrder, Remedy};
pub use self::target_error::TargetError;
pub use self::warning::Warning;

use crate::escape::shown;
use crate::messages::write_message;
use crate::place::SystemPlace;

/// Everything that is wrong with a schedule; it was not built.
pub struct BuildError {
    schedule: String,
    problems: Vec<Problem>,
    /// Of all races, also those that are not among the problems.
    races: RaceCounts,
    remedy: Option<Remedy>,
    /// `None` if it never came to nodes and edges.
    refused: Option<Box<Refused>>,
}

impl BuildError {
    pub(crate) fn new(schedule: String, problems: Vec<Problem>) -> Self {
        Self {
            schedule,
            problems,
            races: RaceCounts::default(),
            remedy: None,
            refused: None,
        }
    }

    /// The same, with how many races there are.
    pub(crate) fn with_races(mut self, races: RaceCounts) -> Self {
        self.races = races;
        self
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

    /// The problems, in the order in which they print: races last. Each race is one, as far as [`BuildError::races`] lists
    /// them.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The races: pairs of systems that conflict, with nothing that orders them.
    ///
    /// All of them, if there are at most 1,000. Systems that all write one resource race in pairs, so their number grows
    /// with the square of the number of systems. If there are more than 1,000 races, the first 20 of each resource are
    /// listed, under the first resource that a pair conflicts on. [`BuildError::n_races`] counts all of them, and
    /// [`BuildError::remedy`] ends all of them. Built under [`Policy::Accepted`](crate::Policy::Accepted), a schedule lists
    /// all pairs: see [`Schedule::accepted`](crate::Schedule::accepted).
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.problems.iter().filter_map(|problem| match problem {
            Problem::Race(race) => Some(race),
            _ => None,
        })
    }

    /// The number of all races, also of those that are not listed.
    ///
    /// ```
    /// use schedule::dynamic::DynamicSystem;
    /// use schedule::prelude::*;
    ///
    /// let mut builder = Schedule::builder();
    /// for nth in 0..100 {
    ///     builder.add_dynamic(DynamicSystem::new(format!("writer {nth}"), |_| ()).writes("log"));
    /// }
    /// let error = builder.build().unwrap_err();
    /// assert_eq!(error.n_races(), 100 * 99 / 2);
    /// assert_eq!(error.races().count(), 20);
    /// assert_eq!(error.remedy().unwrap().orders().len(), 99);
    /// ```
    pub fn n_races(&self) -> usize {
        self.races.n_pairs
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
    /// // The builder still has the systems.
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
        f.write_str("\n  ")?;
        let Some(remedy) = &self.remedy else {
            return write_message!(f, HELP_CYCLES_FIRST);
        };
        match (remedy.orders().len(), n_races) {
            (1, 1) => write_message!(f, HELP_ONE_RACE)?,
            (1, _) => write_message!(f, HELP_RACES)?,
            (n, _) => write_message!(f, HELP_ORDERS, n = n)?,
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
        let schedule = name(&self.schedule);
        let races: Vec<&Race> = self.races().collect();
        match self.problems.len() - races.len() + self.races.n_pairs {
            1 => write_message!(f, REJECTED_FOR_ONE, schedule = schedule)?,
            n => write_message!(f, REJECTED, n = n, schedule = schedule)?,
        }
        for problem in &self.problems {
            if !matches!(problem, Problem::Race(_)) {
                write!(f, "\n  {problem}")?;
            }
        }
        write_races(f, &races, &self.races)?;
        match self.races.n_pairs {
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
        /// The only one of the same name in another module, if none is near.
        same_name: Option<String>,
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
    /// An order, a guard or a policy names a node, by its [`NodeId`](crate::order::NodeId), that an earlier change removed.
    RemovedEarlier {
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
    LoopAgainstBody {
        /// The loop.
        repeat: SystemPlace,
        /// What is in it.
        node: SystemPlace,
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
    /// A group, a checkpoint or a sync point was bound to the thread that calls `run`.
    NotBound {
        /// The group, the checkpoint or the sync point.
        named: String,
        /// Where [`Builder::on_main_thread`](crate::Builder::on_main_thread) was called.
        location: &'static Location<'static>,
    },
    /// Parts were given to something that is no loop.
    BodyWithoutLoop {
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
    /// Something was taken back that was not declared.
    NotDeclared {
        /// What it is.
        what: Undeclared,
        /// Where it was taken back.
        location: &'static Location<'static>,
    },
    /// A group that a program named has the name of a group of a type.
    SameGroupName {
        /// The name.
        name: String,
        /// Where the group of the type is first spoken of.
        of_type: &'static Location<'static>,
        /// Where the group of the name is first spoken of.
        of_name: &'static Location<'static>,
    },
    /// Two types of system, group or checkpoint have the same [`Identity::ID`](crate::Identity::ID).
    SameIdentity {
        /// The one that was added first.
        first: SystemPlace,
        /// The other.
        second: SystemPlace,
    },
}

/// A declaration that a builder was asked to take back, and that does not exist; see [`Problem::NotDeclared`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undeclared {
    /// An order.
    Order {
        /// What was to come first.
        first: String,
        /// What was to come after it.
        then: String,
    },
    /// That something is in a group.
    Membership {
        /// What was to be in the group.
        member: String,
        /// The group.
        group: String,
    },
    /// A guard.
    Guard {
        /// What was to be guarded.
        guarded: String,
    },
    /// A policy of a pair.
    PairPolicy {
        /// One of the two.
        one: String,
        /// The other.
        other: String,
    },
    /// A failure policy.
    FailurePolicy {
        /// Of what.
        target: String,
    },
}

impl Problem {
    /// The same, of something that this names.
    pub(crate) fn named_by(mut self, by: NamedBy) -> Self {
        if let Self::Dangling { named_by, .. }
        | Self::Removed { named_by, .. }
        | Self::RemovedEarlier { named_by, .. } = &mut self
        {
            *named_by = by;
        }
        self
    }
}

/// A name between backticks.
pub(crate) fn name(text: impl fmt::Display) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "`{}`", shown(&text)))
}

fn place(location: &'static Location<'static>) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "{}:{}", location.file(), location.line()))
}
