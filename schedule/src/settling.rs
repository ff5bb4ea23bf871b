//! Reports the outcome of a run to resources: a [`Rate`](crate::Rate) counts how its due times ended.

use core::any::TypeId;

use crate::resource::{Resource, Resources};

/// A resource that is told at the end of each run what became of the nodes that ask it.
///
/// Not to be implemented outside of this crate: `#[system(settles = …)]` names it.
pub trait Settle: Resource {
    #[doc(hidden)]
    fn settle(resources: &mut Resources, ended: Ended);
}

/// The resource that a system asks, and how it is told of the end of a run.
#[derive(Clone, Copy, Debug)]
pub struct Settles {
    pub(crate) resource: TypeId,
    pub(crate) settle: fn(&mut Resources, Ended),
}

impl Settles {
    /// Of this one.
    pub const fn of<R: Settle>() -> Self {
        Self {
            resource: TypeId::of::<R>(),
            settle: R::settle,
        }
    }
}

/// What became of the nodes that ask a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// If it was asked in this run: what became of the systems that run by its answer.
    pub(crate) work: SystemWork,
    /// If not: why not.
    pub(crate) unasked: Unasked,
}

/// What became of systems. Of several, the largest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SystemWork {
    Disabled,
    /// A guard was false, or another one failed.
    Skipped,
    Ran,
    Failed,
}

/// Why a node was not asked. Of several, the largest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unasked {
    /// A loop around it did not run its body.
    Unreached,
    /// A guard was false: its own, that of a group, or that of a loop around it.
    Paused,
    Disabled,
    /// Another one failed.
    Skipped,
}
