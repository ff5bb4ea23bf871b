//! Reports the outcome of a run to resources. For example, a [`Rate`](crate::Rate) counts the outcomes of its due
//! times.

use core::any::TypeId;

use crate::resource::{Resource, Resources};

/// A resource that gets a report at the end of each run about the systems that query it.
///
/// Not for implementation outside of this crate: `#[system(settles = …)]` refers to it.
pub trait Settle: Resource {
    #[doc(hidden)]
    fn settle(resources: &mut Resources, ended: Ended);
}

/// The resource that a system queries, and the function that reports the end of a run to it.
#[derive(Clone, Copy, Debug)]
pub struct Settles {
    pub(crate) resource: TypeId,
    pub(crate) settle: fn(&mut Resources, Ended),
}

impl Settles {
    /// Creates it for the resource `R`.
    pub const fn of<R: Settle>() -> Self {
        Self {
            resource: TypeId::of::<R>(),
            settle: R::settle,
        }
    }
}

/// The outcome of the systems that query a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// If the resource was queried in this run: the outcome of the systems that its answer guards.
    pub(crate) work: SystemWork,
    /// If it was not queried: the reason.
    pub(crate) unasked: Unasked,
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
pub(crate) enum Unasked {
    /// A loop around the node did not run its body.
    Unreached,
    /// A guard was false: that of the node, of its group, or of a loop around it.
    Paused,
    Disabled,
    /// Another system failed.
    Skipped,
}
