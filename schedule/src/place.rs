//! Which node, in words and by number.

use core::fmt;
use core::panic::Location;

use crate::escape::shown;

/// A system of a schedule: its name and where it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemPlace {
    /// What it is called.
    pub name: String,
    /// Where it was declared.
    pub location: &'static Location<'static>,
}

impl SystemPlace {
    /// Whether this library declares the system: a user cannot change its attribute or its parameters.
    pub(crate) fn is_of_library(&self) -> bool {
        let here = file!();
        let folder = here.strip_suffix("place.rs").unwrap_or(here);
        self.location.file().starts_with(folder)
    }
}

impl fmt::Display for SystemPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, location } = self;
        let name = shown(name);
        write!(f, "`{name}` ({}:{})", location.file(), location.line())
    }
}

/// A node of a builder, and of the schedule that it builds. It means nothing to another builder.
///
/// It stays that of its node through all changes of the schedule, and no other node gets it once the node is removed. Only
/// ids that a rejected [`change`](crate::Schedule::change) gave are given again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    /// Counts the nodes that were added to the builder and the schedule before.
    number: usize,
    /// How many nodes were in the same place before: see [`successor`](Self::successor).
    n_before: u32,
}

impl NodeId {
    pub(crate) const fn new(number: usize) -> Self {
        Self {
            number,
            n_before: 0,
        }
    }

    pub(crate) const fn number(self) -> usize {
        self.number
    }

    /// The id of a node that takes the place of this one in the order of addition.
    pub(crate) const fn successor(self) -> Self {
        Self {
            n_before: self.n_before + 1,
            ..self
        }
    }

    /// The same, in a builder that has given this many ids before.
    pub(crate) const fn after(self, n_ids: usize) -> Self {
        Self {
            number: n_ids + self.number,
            ..self
        }
    }
}
