//! Problems in the declarations of a schedule, and their text.

mod clause_error;
mod cycle;
mod display;
mod messages;
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
pub use self::messages::ReaderBetweenWriters;
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

use crate::base::escape::shown;
use crate::base::place::SystemPlace;
use crate::data::access::ResourceId;
use crate::declare::messages::write_message;

/// All problems of a schedule that could not be built.
pub struct BuildError {
    schedule: String,
    problems: Vec<Problem>,
    /// The counts of all races, including those that `problems` does not list.
    races: RaceCounts,
    remedy: Option<Remedy>,
    /// `None` if the problems were found before the graph was built.
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

    /// The same error, with the counts of races.
    pub(crate) fn with_races(mut self, races: RaceCounts) -> Self {
        self.races = races;
        self
    }

    /// The same error, with orders that end the races.
    pub(crate) fn with_remedy(mut self, remedy: Remedy) -> Self {
        self.remedy = Some(remedy);
        self
    }

    /// The same error, with the rejected schedule.
    pub(crate) fn of(mut self, refused: Refused) -> Self {
        self.refused = Some(Box::new(refused));
        self
    }

    /// Returns the problems in the order of the text, races last. Each race that [`BuildError::races`] lists is one
    /// problem.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the races: conflicting pairs of systems without an order.
    ///
    /// Lists all races if there are at most 1,000. Systems that all write one resource race in pairs, so the number
    /// grows with the square of the number of systems. If there are more than 1,000 races, lists the first 20 of each
    /// resource. A pair that conflicts on several resources counts for the first one.
    ///
    /// [`BuildError::n_races`] counts all races, and [`BuildError::remedy`] ends all of them. If the schedule is built
    /// under [`Policy::Accepted`](crate::Policy::Accepted), [`Schedule::accepted`](crate::Schedule::accepted) lists all
    /// pairs.
    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.problems.iter().filter_map(|problem| match problem {
            Problem::Race(race) => Some(race),
            _ => None,
        })
    }

    /// Returns the number of all races, including those that are not listed.
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

    /// Returns a minimal set of orders that ends all races.
    ///
    /// Returns `None` if nothing races, or if orders contradict each other. Contradictions must be fixed first.
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

    /// Writes the orders that end the races, or why they are unknown.
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

/// Prints the same as `Display`, because `main` prints a returned error with `Debug`.
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

/// A problem of a schedule.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// Orders contradict each other.
    Cycle(Cycle),
    /// Two systems conflict, and no order exists between them.
    Race(Race),
    /// [`Policy::WritersFirst`](crate::Policy::WritersFirst) cannot order these systems: the cycle contains orders of
    /// the policy.
    WritersFirst(Cycle),
    /// An order, a condition, a group or a policy names an item that was never added.
    Dangling {
        /// The missing name.
        name: String,
        /// The kind of declaration that names it.
        named_by: NamedBy,
        /// The most similar name that was added, if any is similar.
        nearest: Option<String>,
        /// The name of the only item with the same name in another module, if no name is similar.
        same_name: Option<String>,
        /// The source location of the declaration.
        location: &'static Location<'static>,
    },
    /// An order, a guard or a policy names an item that was removed.
    Removed {
        /// The removed item.
        removed: SystemPlace,
        /// The kind of declaration that names it.
        named_by: NamedBy,
        /// The source location of the declaration.
        location: &'static Location<'static>,
    },
    /// An order, a guard or a policy names a node that an earlier change removed, by its
    /// [`NodeId`](crate::order::NodeId).
    RemovedEarlier {
        /// The kind of declaration that names it.
        named_by: NamedBy,
        /// The source location of the declaration.
        location: &'static Location<'static>,
    },
    /// A change called `build` on its builder, or moved the builder away.
    BuiltInChange,
    /// An order or a policy names several nodes.
    Ambiguous {
        /// The ambiguous name.
        name: String,
        /// All nodes that match the name.
        candidates: Vec<SystemPlace>,
        /// The source location of the declaration.
        location: &'static Location<'static>,
    },
    /// A group contains itself.
    GroupInItself {
        /// The groups of the cycle, each a member of the next one.
        groups: Vec<String>,
        /// The source location of the last of these memberships.
        location: &'static Location<'static>,
    },
    /// A group is ordered against one of its members.
    GroupAgainstMember {
        /// The group.
        group: String,
        /// The member.
        member: String,
        /// The source location of the order.
        location: &'static Location<'static>,
    },
    /// A loop is ordered against a node of its body.
    LoopAgainstBody {
        /// The loop.
        repeat: SystemPlace,
        /// The node of its body.
        node: SystemPlace,
        /// The source location of the order.
        location: &'static Location<'static>,
    },
    /// A group has members at different levels: inside and outside of a loop.
    GroupOverLevels {
        /// The group.
        group: String,
        /// A member.
        first: SystemPlace,
        /// A member at another level.
        second: SystemPlace,
    },
    /// The condition of a node is in a loop that does not contain the node.
    ConditionDeeper {
        /// The condition.
        condition: SystemPlace,
        /// The guarded node.
        guarded: SystemPlace,
        /// The source location of the guard.
        location: &'static Location<'static>,
    },
    /// A node guards itself.
    GuardsItself {
        /// The node.
        condition: SystemPlace,
        /// The source location of the guard.
        location: &'static Location<'static>,
    },
    /// A loop guards a node.
    GuardIsLoop {
        /// The loop.
        condition: SystemPlace,
        /// The source location of the guard.
        location: &'static Location<'static>,
    },
    /// A condition or selector does not return the required type.
    WrongAnswer {
        /// The condition or selector.
        condition: SystemPlace,
        /// The type that it returns, if any.
        answers: Option<String>,
        /// The required type.
        wanted: String,
        /// The source location of the guard.
        location: &'static Location<'static>,
    },
    /// A [`DynamicSystem`](crate::dynamic::DynamicSystem) folds into a resource that it also reads or writes, alone or among all
    /// resources.
    FoldAndUse {
        /// The system, or the condition of a loop.
        system: SystemPlace,
        /// The resource.
        resource: ResourceId,
    },
    /// A reader of messages runs between their writers.
    ReaderBetweenWriters(Box<ReaderBetweenWriters>),
    /// The name of an item is empty, or has only spaces. Orders and messages could not name it.
    EmptyName {
        /// The source location at which the item was added.
        location: &'static Location<'static>,
    },
    /// A method that applies to the last item was called before anything was added.
    NothingAdded {
        /// The source location of the call.
        location: &'static Location<'static>,
    },
    /// [`Builder::at_most`](crate::Builder::at_most) was called for an item that is not a loop.
    NoLoop {
        /// The source location of the call.
        location: &'static Location<'static>,
    },
    /// A method of the builder that marks the last item, such as [`Builder::always`](crate::Builder::always), was called for an item
    /// that cannot have the mark.
    NotApplicable {
        /// The item.
        named: String,
        /// The name of the method.
        call: &'static str,
        /// The kinds of items that can have the mark.
        applies_to: &'static str,
        /// The source location of the call.
        location: &'static Location<'static>,
    },
    /// [`Schedule::set_limits`](crate::Schedule::set_limits) was called for a checkpoint or a sync point, whose time is not measured.
    NotMeasured {
        /// The checkpoint or the sync point.
        named: String,
        /// The source location of the call.
        location: &'static Location<'static>,
    },
    /// [`Builder::extend_loop`](crate::Builder::extend_loop) was called for an item that is not a loop.
    BodyWithoutLoop {
        /// The item.
        named: String,
        /// The source location of the call.
        location: &'static Location<'static>,
    },
    /// Two different policies were set for the same subject.
    TwoPolicies {
        /// The resource, pair or system.
        subject: String,
        /// The first policy, and its source location.
        first: (String, &'static Location<'static>),
        /// The second policy, and its source location.
        second: (String, &'static Location<'static>),
    },
    /// A call removes a declaration that does not exist.
    NotDeclared {
        /// The declaration.
        what: Undeclared,
        /// The source location of the call.
        location: &'static Location<'static>,
    },
    /// A group with a name has the same name as a group with a type.
    SameGroupName {
        /// The name.
        name: String,
        /// The source location of the first use of the group with the type.
        of_type: &'static Location<'static>,
        /// The source location of the first use of the group with the name.
        of_name: &'static Location<'static>,
    },
    /// Two types of systems, groups or checkpoints, added or only named, have the same [`Identity::ID`](crate::Identity::ID).
    SameIdentity {
        /// The item that was added first.
        first: SystemPlace,
        /// The other item.
        second: SystemPlace,
    },
}

/// A declaration that a call should remove, and that does not exist. See [`Problem::NotDeclared`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Undeclared {
    /// An order.
    Order {
        /// The first item of the order.
        first: String,
        /// The second item of the order.
        then: String,
    },
    /// A membership in a group.
    Membership {
        /// The item.
        member: String,
        /// The group.
        group: String,
    },
    /// A guard.
    Guard {
        /// The guarded item.
        guarded: String,
    },
    /// A policy for a pair.
    PairPolicy {
        /// One item of the pair.
        one: String,
        /// The other item.
        other: String,
    },
    /// A failure policy.
    FailurePolicy {
        /// The system, loop or group.
        target: String,
    },
    /// A mark, such as [`Builder::always`](crate::Builder::always).
    Setting {
        /// The name of the method that sets it.
        call: &'static str,
        /// The system, loop or group.
        target: String,
    },
}

impl Problem {
    /// The same problem, with the kind of declaration that names the item.
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

/// A name in backticks.
pub(crate) fn name(text: impl fmt::Display) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "`{}`", shown(&text)))
}

/// Systems with their places, in a list.
fn listed(systems: &[SystemPlace]) -> impl fmt::Display {
    fmt::from_fn(move |f| {
        systems.iter().enumerate().try_for_each(|(nth, system)| {
            let comma = if nth == 0 { "" } else { ", " };
            write!(f, "{comma}{system}")
        })
    })
}

fn place(location: &'static Location<'static>) -> impl fmt::Display {
    fmt::from_fn(move |f| write!(f, "{}:{}", location.file(), location.line()))
}
