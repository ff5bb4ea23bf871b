//! Source locations.

use core::fmt;
use core::panic::Location;

/// A source location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Place {
    /// The file path that the compiler received.
    pub file: String,
    /// The line number, from 1.
    pub line: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

impl From<&Location<'_>> for Place {
    fn from(location: &Location<'_>) -> Self {
        Self {
            file: location.file().to_string(),
            line: location.line(),
        }
    }
}
