//! The errors of snapshots.

use core::fmt;

use super::{SchemaDifference, layout};

/// A value cannot be saved or restored, or bytes are not a whole snapshot.
///
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
    /// Several values of a snapshot or a recording have the same name now, because of calls of `renamed`.
    RenamedTwice {
        /// The present name.
        name: &'static str,
        /// The saved names, in the order of the snapshot.
        saved: Vec<String>,
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
    /// A type has changed since a value was saved, but its version has not.
    Schema {
        /// The name of the type.
        name: &'static str,
        /// The version of the value and of the type.
        version: u32,
        /// The first part that has changed.
        difference: SchemaDifference,
    },
    /// The schema of a value cannot be read.
    UnreadableSchema {
        /// The name of the value.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The snapshot has values that the program has not restored.
    Unclaimed {
        /// Their names. With each, a similar name that the program wants and the snapshot lacks.
        names: Vec<(String, Option<&'static str>)>,
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
                "the snapshot has format {found}, but this program reads formats up to {}: use the version of the program that \
                 wrote the snapshot, or a newer one",
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
            Self::RenamedTwice { name, saved } => {
                f.write_str("there are the saved values ")?;
                for (nth, saved) in saved.iter().enumerate() {
                    let separator = if nth == 0 { "" } else { " and " };
                    write!(f, "{separator}`{saved}`")?;
                }
                write!(
                    f,
                    ", and each is the value of `{name}` after the calls of `renamed`: remove a call of `renamed`, or call `dropped` \
                     with the name of the value that is not wanted"
                )
            }
            Self::UnreadableSchema { name, reason } => write!(
                f,
                "the schema of `{name}` cannot be read: {reason}; use the version of the program that wrote the snapshot, or a newer \
                 one, or another snapshot"
            ),
            Self::Missing { name } => write!(
                f,
                "the snapshot has no value `{name}`: the program that wrote it did not save this type, or gave it another name: \
                 see `renamed`"
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
            Self::Schema {
                name,
                version,
                difference,
            } => display_schema(f, (name, *version), difference),
            Self::Unclaimed { names } => {
                f.write_str("the snapshot has values that the program does not restore: ")?;
                for (nth, (name, similar)) in names.iter().enumerate() {
                    let comma = if nth == 0 { "" } else { ", " };
                    write!(f, "{comma}`{name}`")?;
                    if let Some(similar) = similar {
                        write!(f, " (the program wants `{similar}`, which is missing)")?;
                    }
                }
                let (name, similar) = &names[0];
                let similar = similar.unwrap_or("…");
                write!(
                    f,
                    "; restore them, or declare that they have another name, with `renamed(\"{name}\", \"{similar}\")`, or that \
                     they are not wanted, with `dropped(\"{name}\")`"
                )
            }
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

/// Writes the text of [`SnapshotError::Schema`].
fn display_schema(
    f: &mut fmt::Formatter<'_>,
    whole: (&str, u32),
    difference: &SchemaDifference,
) -> fmt::Result {
    let (name, version) = difference.owner().unwrap_or(whole);
    write!(
        f,
        "`{name}` has changed since it was saved, but its version is still {version}: {difference}; "
    )?;
    if name.contains('<') {
        // The version of a container is that of its own fields.
        write!(f, "undo the change, or give the type in `<…>` a new name")
    } else {
        write!(
            f,
            "raise its version, and read version {version} in a function: `#[snapshot(version = {}, migrate = …)]`",
            version.saturating_add(1)
        )
    }?;
    match difference.renamed() {
        None => Ok(()),
        Some(saved) => write!(
            f,
            ", or keep the saved name if only the name has changed: `#[serde(rename = \"{saved}\")]`"
        ),
    }
}

impl std::error::Error for SnapshotError {}
