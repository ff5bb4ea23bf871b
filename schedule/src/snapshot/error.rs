//! The errors of snapshots.

use core::fmt;

use super::layout;

/// A value cannot be saved or restored, or bytes are not a whole snapshot.
///
/// The first six kinds concern the snapshot as a whole, the others one type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SnapshotError {
    /// The bytes do not begin like a snapshot.
    Foreign,
    /// The snapshot has a format that this program cannot read.
    Format {
        /// The number of the format of the snapshot.
        found: u32,
    },
    /// The end of the snapshot is missing.
    Cut {
        /// The number of bytes that exist.
        found: u64,
        /// The number of bytes of the whole snapshot. If the head is cut, that of the smallest snapshot.
        expected: u64,
    },
    /// The snapshot is damaged.
    Damaged {
        /// The place at which the damage was found, in bytes from the begin of the snapshot.
        offset: u64,
        /// The observation that shows the damage.
        reason: &'static str,
    },
    /// Two values of a snapshot have the same name.
    Duplicate {
        /// The name.
        name: String,
    },
    /// The snapshot has no value of this name.
    Missing {
        /// The name.
        name: &'static str,
    },
    /// A value has a version that this program cannot read.
    Version {
        /// The name of the type.
        name: &'static str,
        /// The version of the value.
        found: u32,
        /// The version of the type in this program.
        expected: u32,
    },
    /// A value cannot be saved.
    Encode {
        /// The name of the type. `None` for a value that is not in a section.
        name: Option<&'static str>,
        /// The reason.
        reason: String,
    },
    /// The bytes of a value are not a value of its type.
    Decode {
        /// The name of the type. `None` for a value that is not in a section.
        name: Option<&'static str>,
        /// The place of the error, in bytes from the begin of the section.
        offset: usize,
        /// The reason.
        reason: String,
    },
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str(
                "the bytes are not a snapshot: check that they come from `SnapshotWriter::finish`",
            ),
            Self::Format { found } => write!(
                f,
                "the snapshot has format {found}, but this program reads format {}: use the version of the program that \
                 wrote the snapshot",
                layout::FORMAT
            ),
            Self::Cut { found, expected } => write!(
                f,
                "the snapshot is cut: it has {found} bytes, but needs {expected}; use another snapshot"
            ),
            Self::Damaged { offset, reason } => write!(
                f,
                "the snapshot is damaged at byte {offset}: {reason}; use another snapshot"
            ),
            Self::Duplicate { name } => write!(
                f,
                "the snapshot cannot have two values with the name `{name}`: give each type a different name"
            ),
            Self::Missing { name } => write!(
                f,
                "the snapshot has no value `{name}`: the program that wrote it did not save this type"
            ),
            Self::Version {
                name,
                found,
                expected,
            } if found > expected => write!(
                f,
                "`{name}` was saved in version {found}, but this program has version {expected}: use a newer version of the \
                 program"
            ),
            Self::Version {
                name,
                found,
                expected,
            } => write!(
                f,
                "`{name}` was saved in version {found}, but this program has version {expected}: read version {found} in a \
                 function, and name it with `#[snapshot(migrate = …)]`"
            ),
            Self::Encode {
                name: Some(name),
                reason,
            } => write!(f, "`{name}` cannot be saved: {reason}"),
            Self::Encode { name: None, reason } => write!(f, "a value cannot be saved: {reason}"),
            Self::Decode {
                name: Some(name),
                offset,
                reason,
            } => write!(
                f,
                "`{name}` cannot be restored: {reason}, at byte {offset} of its section"
            ),
            Self::Decode {
                name: None,
                offset,
                reason,
            } => write!(f, "a value cannot be restored: {reason}, at byte {offset}"),
        }
    }
}

impl std::error::Error for SnapshotError {}
