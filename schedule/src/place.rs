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

/// A node of a builder: which of those added it is, counted from 0. It means nothing to another builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);
