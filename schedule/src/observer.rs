//! Reports the outcome of a run to resources. For example, a [`Rate`](crate::Rate) counts the outcomes of its due
//! times.

use core::any::TypeId;

use crate::resource::{Resource, Resources};

/// A resource that gets a report at the end of each run about the systems that query it.
///
/// Not for implementation outside of this crate: `#[system(observer = …)]` refers to it.
pub trait RunObserver: Resource {
    #[doc(hidden)]
    fn run_ended(resources: &mut Resources, outcome: QueryOutcome);
}

/// The resource that a system queries, and the function that reports the end of a run to it.
#[derive(Clone, Copy, Debug)]
pub struct ObserverType {
    pub(crate) resource: TypeId,
    pub(crate) run_ended: fn(&mut Resources, QueryOutcome),
}

impl ObserverType {
    /// Creates it for the resource `R`.
    pub const fn of<R: RunObserver>() -> Self {
        Self {
            resource: TypeId::of::<R>(),
            run_ended: R::run_ended,
        }
    }
}

/// The outcome of the systems that query a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryOutcome {
    /// If the resource was queried in this run: the outcome of the systems that its answer guards.
    pub(crate) work: SystemWork,
    /// If it was not queried: the reason.
    pub(crate) not_queried: NotQueried,
}

/// The outcome of systems. For several systems, the maximum counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SystemWork {
    Disabled,
    /// A guard was false, or another system failed.
    Skipped,
    Ran,
    Failed,
}

/// The reason why a node did not query its resource. For several nodes, the maximum counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NotQueried {
    /// A loop around the node did not run its body.
    Unreached,
    /// A guard was false: that of the node, of its group, or of a loop around it.
    Paused,
    Disabled,
    /// Another system failed.
    Skipped,
}
