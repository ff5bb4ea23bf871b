//! Identification of nodes: by name and location, and by id.

use core::fmt;
use core::panic::Location;

use crate::base::escape::shown;

/// A system of a schedule: its name and where it was declared.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SystemPlace {
    /// The name.
    pub name: String,
    /// The location of the declaration.
    pub location: &'static Location<'static>,
}

impl SystemPlace {
    /// Creates a place of this name at the location of the call, to call a system with
    /// [`Failures`](crate::param::Failures) as a plain function.
    #[track_caller]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            location: Location::caller(),
        }
    }

    /// Whether this library declares the system, so that users cannot change its attribute or parameters.
    pub(crate) fn is_of_library(&self) -> bool {
        let here = file!();
        let sources = here
            .strip_suffix("place.rs")
            .and_then(|folder| folder.strip_suffix(['/', '\\']))
            .and_then(|folder| folder.strip_suffix("base"));
        let file = self.location.file();
        file.starts_with(sources.expect("the file has this place"))
    }
}

impl fmt::Display for SystemPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, location } = self;
        let name = shown(name);
        write!(f, "`{name}` ({}:{})", location.file(), location.line())
    }
}

/// Identifies a node of a builder, and of the schedule that it builds. It is only valid for that builder and schedule.
///
/// The id of a node stays the same through all changes of the schedule. It is not used for another node after the node
/// was removed. Only ids of a rejected [`change`](crate::Schedule::change) are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    /// The number of nodes that were added to the builder and the schedule before.
    number: usize,
    /// The number of nodes that had this place before: see [`successor`](Self::successor).
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

    /// The id of a node that replaces this one in the order of addition.
    pub(crate) const fn successor(self) -> Self {
        Self {
            n_before: self.n_before + 1,
            ..self
        }
    }

    /// The same id, shifted for a builder that has given `n_ids` ids before.
    pub(crate) const fn after(self, n_ids: usize) -> Self {
        Self {
            number: n_ids + self.number,
            ..self
        }
    }
}
