//! The errors of recordings and replays.

use core::fmt;
use std::io;

use super::divergence::{Divergence, write_names};
use super::frame::{FORMAT, FrameError};
use crate::base::escape::shown;
use crate::base::snapshot::SnapshotError;

/// A recording cannot be written. The runs before the error are in the file.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordError {
    /// The writer failed.
    Write(io::Error),
    /// A resource cannot be saved.
    Value {
        /// The name of the resource in the recording.
        name: String,
        /// The cause.
        error: SnapshotError,
    },
    /// Two resources of one kind have the same name.
    Duplicate {
        /// The name.
        name: String,
    },
    /// A panic left [`Recorder::run`](super::Recorder::run), for example a panic of `Snapshot::save`. A panic of a system is a
    /// failure of the system, and does not end the recording.
    Panicked {
        /// The number of the run. The first run of the recording has number 0.
        nth_run: u64,
    },
}

impl std::error::Error for RecordError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Write(error) => error.source(),
            Self::Value { .. } | Self::Duplicate { .. } | Self::Panicked { .. } => None,
        }
    }
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Write(error) => write!(f, "the recording cannot be written: {error}"),
            Self::Value { name, error } => {
                write!(f, "`{}` cannot be recorded: {error}", shown(name))
            }
            Self::Duplicate { name } => write_duplicate(f, name),
            Self::Panicked { nth_run } => {
                write!(
                    f,
                    "the recording ended in run {nth_run}, because of a panic"
                )
            }
        }
    }
}

fn write_duplicate(f: &mut fmt::Formatter<'_>, name: &str) -> fmt::Result {
    write!(
        f,
        "a recording cannot have two resources with the name `{}`: add each resource once, and give each type a different name",
        shown(name)
    )
}

/// A recording cannot be read, or a replay diverged from it.
///
/// After [`Diverged`](Self::Diverged), the replay can continue. After all other errors, no further run is replayed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// The reader failed.
    Read(io::Error),
    /// The bytes do not begin like a recording.
    Foreign,
    /// The recording has a format that this program cannot read.
    Format {
        /// The number of the format of the recording.
        found: u32,
    },
    /// The end of the recording is missing. It was cut, or the program that recorded it did not end normally.
    Cut {
        /// The number of whole runs before the end.
        n_runs: u64,
    },
    /// The recording is damaged.
    Damaged {
        /// The number of whole runs before the damage.
        n_runs: u64,
        /// The place of the damage, in bytes from the start of the recording.
        offset: u64,
        /// The observation that shows the damage.
        reason: &'static str,
    },
    /// A frame has a kind that this program does not know and must not skip.
    Kind {
        /// The number of whole runs before the frame.
        n_runs: u64,
        /// The place of the frame, in bytes from the start of the recording.
        offset: u64,
        /// The number of the kind.
        kind: u8,
    },
    /// The schedule has other systems, loops or sync points than the recording, or the same ones in another order.
    Systems {
        /// The name of the schedule.
        schedule: String,
        /// The number of the run before which it was checked.
        nth_run: u64,
        /// Names that occur only in the recording: `` system `move` ``.
        missing: Vec<String>,
        /// Names that occur only in the schedule.
        added: Vec<String>,
        /// Set if only the order differs: the first differing name in the recording, and the name at the same place in the schedule.
        moved: Option<Box<[String; 2]>>,
    },
    /// The program records other resources than the recording has.
    Resources {
        /// Names that occur only in the recording: `` input `sensors` ``.
        missing: Vec<String>,
        /// Names that occur only in the program.
        added: Vec<String>,
    },
    /// A resource has a version that this program cannot use.
    Version {
        /// The name of the resource.
        name: &'static str,
        /// The version in the recording.
        found: u32,
        /// The version of the program.
        expected: u32,
    },
    /// Two resources of one kind have the same name.
    Duplicate {
        /// The name.
        name: String,
    },
    /// A [participant](super::Participant) is missing in the resources.
    Missing {
        /// Its name in the recording.
        name: String,
        /// The number of the run that needs it.
        nth_run: u64,
    },
    /// The value of a resource cannot be restored or saved.
    Value {
        /// Its name in the recording.
        name: String,
        /// The number of the run.
        nth_run: u64,
        /// The cause.
        error: SnapshotError,
    },
    /// A type has changed since the recording, but its version has not: a [`SnapshotError::Schema`]. Or several recorded values have the
    /// same name now: a [`SnapshotError::RenamedTwice`].
    Schema(SnapshotError),
    /// A run decided differently than in the recording.
    Diverged(Box<Divergence>),
}

impl ReplayError {
    /// `n_runs`: the number of whole runs before the error.
    pub(super) fn of_frame(error: FrameError, n_runs: u64) -> Self {
        match error {
            FrameError::Read(error) => Self::Read(error),
            FrameError::Foreign => Self::Foreign,
            FrameError::Format(found) => Self::Format { found },
            FrameError::Cut => Self::Cut { n_runs },
            FrameError::Damaged { offset, reason } => Self::Damaged {
                n_runs,
                offset,
                reason,
            },
            FrameError::Kind { offset, kind } => Self::Kind {
                n_runs,
                offset,
                kind,
            },
        }
    }
}

impl std::error::Error for ReplayError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) => error.source(),
            _ => None,
        }
    }
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => write!(f, "the recording cannot be read: {error}"),
            Self::Foreign => {
                f.write_str("the bytes are not a recording: check that they come from a `Recorder`")
            }
            Self::Format { found } => write!(
                f,
                "the recording has format {found}, but this program reads formats up to {FORMAT}: use the version of the program \
                 that wrote the recording, or a newer one"
            ),
            Self::Cut { n_runs } => write!(
                f,
                "the recording is cut after {}: its end is missing; the runs before it can be replayed",
                Runs(*n_runs)
            ),
            Self::Damaged {
                n_runs,
                offset,
                reason,
            } => write!(
                f,
                "the recording is damaged after {}, at byte {offset}: {reason}; the runs before it can be replayed",
                Runs(*n_runs)
            ),
            Self::Kind {
                n_runs,
                offset,
                kind,
            } => write!(
                f,
                "the recording has a frame of kind {kind} after {}, at byte {offset}, which this program does not know and must not \
                 skip: use the version of the program that wrote the recording, or a newer one",
                Runs(*n_runs)
            ),
            Self::Systems {
                schedule,
                nth_run,
                missing,
                added,
                moved,
            } => {
                write!(
                    f,
                    "schedule `{}` is not that of the recording, before run {nth_run}",
                    shown(schedule)
                )?;
                write_list(f, "only in the recording", missing)?;
                write_list(f, "only in the schedule", added)?;
                if let Some([recorded, now]) = moved.as_deref() {
                    write!(
                        f,
                        "\n  another order: the recording has {} where the schedule has {}",
                        shown(recorded),
                        shown(now)
                    )?;
                }
                f.write_str("\n  help: replay with the schedule that was recorded")
            }
            Self::Resources { missing, added } => {
                f.write_str("the resources are not those of the recording")?;
                write_list(f, "only in the recording", missing)?;
                write_list(f, "only in the program", added)?;
                f.write_str("\n  help: use the same `RecordedResources` for the `Recorder` and the `Replayer`; if a type was \
                     renamed or removed, add `renamed(…)` or `dropped(…)`")
            }
            Self::Version {
                name,
                found,
                expected,
            } => write!(
                f,
                "`{}` was recorded in version {found}, but this program has version {expected}: use the version of the program \
                 that wrote the recording",
                shown(name)
            ),
            Self::Duplicate { name } => write_duplicate(f, name),
            Self::Missing { name, nth_run } => write!(
                f,
                "`{}` is missing before run {nth_run}: insert the resource before the replay",
                shown(name)
            ),
            Self::Value {
                name,
                nth_run,
                error,
            } => write!(
                f,
                "the value of `{}` cannot be used in run {nth_run}: {error}",
                shown(name)
            ),
            Self::Schema(error) => error.fmt(f),
            Self::Diverged(divergence) => divergence.fmt(f),
        }
    }
}

/// A number of runs.
struct Runs(u64);

impl fmt::Display for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 run"),
            n => write!(f, "{n} runs"),
        }
    }
}

fn write_list(f: &mut fmt::Formatter<'_>, title: &str, names: &[String]) -> fmt::Result {
    if names.is_empty() {
        return Ok(());
    }
    write!(f, "\n  {title}: ")?;
    write_names(f, names.iter().map(shown))
}
