//! Explains whether two `for_each` systems share a sweep: as data, and as text.

use core::fmt::{self, Display};

use crate::base::place::SystemPlace;
use crate::declare::choices::Occurrence;
use crate::declare::messages::write_message;
use crate::declare::problem::name;

/// Whether two `for_each` systems share a sweep, in which they run together, chunk by chunk. See [`Why::sweep`].
///
/// [`Why::sweep`]: super::Why::sweep
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepRelation {
    /// Both are in one sweep.
    Shared {
        /// The other systems of the sweep, in the order of a serial run.
        others: Vec<SystemPlace>,
        /// The components on which the two conflict. Both access only those of the entity at hand.
        components: Vec<String>,
    },
    /// They are in different sweeps.
    Apart {
        /// The reason.
        rule: SweepRule,
        /// The other systems in the sweep of the first one, in the order of a serial run.
        with_first: Vec<SystemPlace>,
        /// The other systems in the sweep of the second one.
        with_second: Vec<SystemPlace>,
    },
}

/// A rule that keeps two `for_each` systems out of one sweep.
///
/// Most rules concern all systems that would be in the sweep, not only the two. If several rules apply, the first in the
/// order of the variants is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SweepRule {
    /// Their entities are in different stores.
    Stores(String, String),
    /// A loop contains only one of them.
    Loop,
    /// A system shares no sweep at all.
    Off {
        /// The system.
        system: SystemPlace,
        /// The reason.
        by: SweepOff,
    },
    /// Two systems conflict on a resource that is not a component, or on a component of other entities.
    Conflict {
        /// One of the systems.
        first: SystemPlace,
        /// The other one.
        second: SystemPlace,
        /// The name of the resource or component.
        resource: String,
        /// For a component, a system that accesses it through a query.
        queried_by: Option<SystemPlace>,
    },
    /// A node runs between two systems.
    Between {
        /// The system that runs before the node.
        first: SystemPlace,
        /// The node.
        node: SystemPlace,
        /// The system that runs after the node.
        then: SystemPlace,
    },
    /// The failure of one system skips another one. In a sweep, the other one would have run for some of the entities.
    Failure {
        /// The system that can fail, because it returns a `Result`.
        failing: SystemPlace,
        /// The system that is skipped.
        skipped: SystemPlace,
    },
    /// The sweep would have to run both before and after this other sweep.
    Cycle(Vec<SystemPlace>),
    /// By the model of run times, the sweep would make a run longer, because other systems would wait for it.
    Delay,
}

/// The reason why a system shares no sweep at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SweepOff {
    /// The system has `sweep = false`: in its attribute, in its entry, or by
    /// [`Builder::without_sweeps`](crate::Builder::without_sweeps).
    System,
    /// [`Builder::sweep`](crate::Builder::sweep) turned sweeps off for a plugin that contains the system.
    Plugin,
    /// [`Builder::sweep`](crate::Builder::sweep) turned sweeps off for the schedule.
    Schedule,
    /// A failure of the system stops the run: [`FailurePolicy::Stop`](crate::FailurePolicy::Stop).
    StopsRun,
    /// The system runs whatever failed: [`Builder::always`](crate::Builder::always).
    Always,
    /// The system runs on the thread that calls `run`.
    MainThread,
}

/// Two `for_each` systems of which one follows the other, and that share no sweep. See
/// [`Report::apart`](crate::report::Report::apart).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ApartSystems {
    /// The system that runs first.
    pub first: Occurrence,
    /// The other system.
    pub then: Occurrence,
    /// The reason.
    pub rule: SweepRule,
}

impl SweepRelation {
    /// Writes the relation of two systems.
    pub(super) fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        [first, second]: [&SystemPlace; 2],
    ) -> fmt::Result {
        match self {
            Self::Shared { others, components } => {
                let components = components.iter().map(name);
                let components = list(&components.collect::<Vec<_>>());
                write_message!(
                    f,
                    IN_ONE_SWEEP;
                    others = systems(others),
                    components = components
                )
            }
            Self::Apart {
                rule,
                with_first,
                with_second,
            } => {
                write_message!(
                    f,
                    APART,
                    rule = rule,
                    first = name(&first.name),
                    second = name(&second.name);
                    with_first = systems(with_first),
                    with_second = systems(with_second)
                )
            }
        }
    }
}

/// Names of systems, or `None` if there are none.
fn systems(systems: &[SystemPlace]) -> Option<String> {
    let names = systems.iter().map(|one| name(&one.name));
    list(&names.collect::<Vec<_>>())
}

/// The elements with commas between them, or `None` if there are none.
fn list(elements: &[impl Display]) -> Option<String> {
    let texts: Vec<String> = elements.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Prints the reason, without the names of the two systems.
impl Display for SweepRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let system = |one: &SystemPlace| name(one.name.clone());
        match self {
            Self::Stores(first, second) => {
                write_message!(f, APART_STORES, first = name(first), second = name(second))
            }
            Self::Loop => write_message!(f, APART_LOOP),
            Self::Off { system: off, by } => match by {
                SweepOff::System => write_message!(f, NO_SWEEP_OF_SYSTEM, system = system(off)),
                SweepOff::Plugin => write_message!(f, NO_SWEEP_OF_PLUGIN, system = system(off)),
                SweepOff::Schedule => write_message!(f, NO_SWEEP_OF_SCHEDULE),
                SweepOff::StopsRun => write_message!(f, NO_SWEEP_BY_STOP, system = system(off)),
                SweepOff::Always => write_message!(f, NO_SWEEP_BY_ALWAYS, system = system(off)),
                SweepOff::MainThread => {
                    write_message!(f, NO_SWEEP_ON_MAIN_THREAD, system = system(off))
                }
            },
            Self::Conflict {
                first,
                second,
                resource,
                queried_by: Some(queried_by),
            } => write_message!(
                f,
                APART_BY_QUERY,
                first = system(first),
                second = system(second),
                component = name(resource),
                system = system(queried_by)
            ),
            Self::Conflict {
                first,
                second,
                resource,
                queried_by: None,
            } => write_message!(
                f,
                APART_BY_RESOURCE,
                first = system(first),
                second = system(second),
                resource = name(resource)
            ),
            Self::Between { first, node, then } => write_message!(
                f,
                APART_BY_NODE,
                first = system(first),
                node = system(node),
                then = system(then)
            ),
            Self::Failure { failing, skipped } => write_message!(
                f,
                APART_BY_FAILURE,
                failing = system(failing),
                skipped = system(skipped)
            ),
            Self::Cycle(sweep) => {
                let sweep = systems(sweep).unwrap_or_default();
                write_message!(f, APART_BY_CYCLE, sweep = sweep)
            }
            Self::Delay => write_message!(f, APART_BY_DELAY),
        }
    }
}
