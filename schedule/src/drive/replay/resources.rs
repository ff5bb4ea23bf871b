//! The resources that take part in recordings.

use core::any::TypeId;
use core::fmt;

use super::clock;
use crate::base::snapshot::{Decoder, Encoder, NameChanges, Schema, Snapshot, SnapshotError};
use crate::data::participant::Participant;
use crate::data::resource::{Resource, Resources};
use crate::systems::rate::Clock;

/// The resources that take part in a recording: inputs, initial states, outputs and [participants](Participant).
///
/// A [`Recorder`](super::Recorder) and a [`Replayer`](super::Replayer) need the same ones. The [`Clock`] is always an input, if
/// it exists.
#[derive(Clone)]
pub struct RecordedResources {
    pub(super) entries: Vec<RecordedEntry>,
    /// The calls of [`renamed`](Self::renamed) and [`dropped`](Self::dropped).
    pub(super) changes: NameChanges,
}

impl RecordedResources {
    /// Only the [`Clock`].
    pub fn new() -> Self {
        Self {
            entries: vec![clock::ENTRY],
            changes: NameChanges::default(),
        }
    }

    /// Adds an input: a resource that the program changes between runs. Its value before each run is recorded, also if the
    /// resource is missing.
    ///
    /// A replay restores the value before each run.
    pub fn input<T: Resource + Snapshot>(mut self) -> Self {
        self.push_value::<T>(EntryKind::Input);
        self
    }

    /// Adds a state: a resource that only systems change. Its value before the first run is recorded.
    ///
    /// A replay restores the value before the first run. Without this, the program must create the same value itself.
    pub fn state<T: Resource + Snapshot>(mut self) -> Self {
        self.push_value::<T>(EntryKind::State);
        self
    }

    /// Adds an output: a resource that a replay compares. The checksum of its value after each run is recorded.
    ///
    /// So a replay finds a value that differs, even if all systems decide the same.
    pub fn output<T: Resource + Snapshot>(mut self) -> Self {
        self.entries.push(RecordedEntry {
            kind: EntryKind::Output,
            name: <T as Snapshot>::NAME,
            version: T::VERSION,
            schema: Some(EntrySchema::of::<T>()),
            record_started: |_| Ok(()),
            save_before: |_, _| Ok(false),
            save_after: |resources, to| {
                let is_present = save::<T>(resources, to)?;
                let checksum = crc32fast::hash(to.as_bytes());
                to.clear();
                to.buffer().extend(checksum.to_le_bytes());
                if !is_present {
                    to.clear();
                }
                Ok(is_present)
            },
            record_ended: |_| {},
            restore: |_, _| Ok(()),
            replay_ended: |_| {},
        });
        self
    }

    /// Adds a resource that writes and reads bytes of its own.
    pub fn participant<T: Participant>(mut self) -> Self {
        self.entries.push(RecordedEntry {
            kind: EntryKind::Participant,
            name: <T as Participant>::NAME,
            version: T::VERSION,
            schema: None,
            record_started: |resources| match resources.get_mut::<T>() {
                Some(value) => value.record_started(),
                None => Ok(()),
            },
            save_before: |resources, to| match resources.get_mut::<T>() {
                Some(value) => value.record_before(to).map(|()| true),
                None => Ok(false),
            },
            save_after: |resources, to| match resources.get_mut::<T>() {
                Some(value) => value.record_after(to).map(|()| true),
                None => Ok(false),
            },
            record_ended: |resources| {
                if let Some(value) = resources.get_mut::<T>() {
                    value.record_ended();
                }
            },
            restore: |resources, saved| {
                let is_recorded = saved.before.is_present;
                let Some(value) = resources.get_mut::<T>().filter(|_| is_recorded) else {
                    return if is_recorded {
                        Err(EntryError::Missing)
                    } else {
                        Ok(())
                    };
                };
                let mut from = Decoder::new(&saved.before.bytes);
                value.restore_before(&mut from)?;
                from.finish()?;
                if let Some(after) = saved.after.filter(|after| after.is_present) {
                    let mut from = Decoder::new(&after.bytes);
                    value.restore_after(&mut from)?;
                    from.finish()?;
                }
                Ok(())
            },
            replay_ended: |resources| {
                if let Some(value) = resources.get_mut::<T>() {
                    value.replay_ended();
                }
            },
        });
        self
    }

    /// In a replay, uses the entries of the recording with the name `from` as those of the type with the name `to`. For a type whose name
    /// has changed since the recording.
    ///
    /// `from` may also be the argument of a name: with `renamed("account", "konto")`, `records<account>` is used as `records<konto>`.
    pub fn renamed(mut self, from: &str, to: &str) -> Self {
        self.changes.rename(from, to);
        self
    }

    /// In a replay, ignores the entries of the recording with this name. For a type that the program no longer has.
    ///
    /// `name` may also be the argument of a name: `dropped("account")` also drops `records<account>`.
    pub fn dropped(mut self, name: &str) -> Self {
        self.changes.drop(name);
        self
    }

    fn push_value<T: Resource + Snapshot>(&mut self, kind: EntryKind) {
        // The clock is an input already. Its entry contains more than its snapshot.
        if TypeId::of::<T>() != TypeId::of::<Clock>() {
            self.entries.push(RecordedEntry::of_value::<T>(kind));
        }
    }

    /// Returns the name that two entries of one kind share, if there are such entries.
    pub(super) fn duplicate(&self) -> Option<&'static str> {
        let mut entries = self.entries.iter().enumerate();
        let duplicate = entries.find(|(idx, one)| {
            let mut before = self.entries[..*idx].iter();
            before.any(|other| other.name == one.name && other.kind == one.kind)
        });
        duplicate.map(|(_, one)| one.name)
    }
}

impl Default for RecordedResources {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for RecordedResources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries = self.entries.iter().map(|entry| (entry.name, entry.kind));
        f.debug_map().entries(entries).finish()
    }
}

/// A resource that takes part, as functions.
#[derive(Clone, Copy)]
pub(super) struct RecordedEntry {
    pub(super) kind: EntryKind,
    pub(super) name: &'static str,
    pub(super) version: u32,
    /// `None` if the bytes are not those of a value of `Snapshot`.
    pub(super) schema: Option<EntrySchema>,
    /// Called before the first recorded run in which the resource exists.
    pub(super) record_started: fn(&mut Resources) -> Result<(), SnapshotError>,
    /// Writes its bytes before a run. Returns whether the resource exists.
    pub(super) save_before: SaveEntry,
    /// Writes its bytes after a run. Returns whether the resource exists.
    pub(super) save_after: SaveEntry,
    /// Called after a recorded run, also if the run panicked or its recording failed.
    pub(super) record_ended: fn(&mut Resources),
    /// Restores its bytes before a replayed run.
    pub(super) restore: fn(&mut Resources, RestoredEntry<'_>) -> Result<(), EntryError>,
    /// Called after a replayed run, also if the run panicked or its replay failed.
    pub(super) replay_ended: fn(&mut Resources),
}

/// The schema of the values of an entry, as functions.
#[derive(Clone, Copy)]
pub(super) struct EntrySchema {
    pub(super) now: fn() -> Schema,
    /// Compares it with that of a recorded value in this version.
    pub(super) check: fn(&Schema, u32) -> Result<(), SnapshotError>,
}

impl EntrySchema {
    fn of<T: Snapshot>() -> Self {
        Self {
            now: Schema::of_saved::<T>,
            check: |recorded, version| recorded.check::<T>(version),
        }
    }
}

pub(super) type SaveEntry = fn(&mut Resources, &mut Encoder) -> Result<bool, SnapshotError>;

/// The kind of an entry. The numbers are those in recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryKind {
    Input = 0,
    State = 1,
    Output = 2,
    Participant = 3,
}

impl EntryKind {
    pub(super) fn of(number: u8) -> Option<Self> {
        let mut all = [Self::Input, Self::State, Self::Output, Self::Participant].into_iter();
        all.find(|kind| *kind as u8 == number)
    }

    /// Whether a replay can read versions that are older than that of the program.
    pub(super) fn can_migrate(self) -> bool {
        matches!(self, Self::Input | Self::State)
    }

    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::State => "state",
            Self::Output => "output",
            Self::Participant => "participant",
        }
    }
}

/// The bytes of an entry, before or after a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EntryBytes {
    /// Whether the resource exists.
    pub(super) is_present: bool,
    /// Empty if the resource does not exist.
    pub(super) bytes: Vec<u8>,
}

impl EntryBytes {
    /// Replaces the bytes. Returns whether they have changed.
    pub(super) fn set(&mut self, is_present: bool, bytes: &[u8]) -> bool {
        if is_present == self.is_present && *bytes == *self.bytes {
            return false;
        }
        self.is_present = is_present;
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        true
    }
}

/// The recorded bytes of an entry, for a replayed run.
#[derive(Clone, Copy)]
pub(super) struct RestoredEntry<'a> {
    /// The version of the bytes.
    pub(super) version: u32,
    pub(super) before: &'a EntryBytes,
    /// `None` if the recording ends in the middle of the run.
    pub(super) after: Option<&'a EntryBytes>,
}

/// The reason why an entry cannot be restored.
pub(super) enum EntryError {
    /// The resource does not exist, and a replay cannot create it.
    Missing,
    Value(SnapshotError),
}

impl From<SnapshotError> for EntryError {
    fn from(error: SnapshotError) -> Self {
        Self::Value(error)
    }
}

impl RecordedEntry {
    fn of_value<T: Resource + Snapshot>(kind: EntryKind) -> Self {
        Self {
            kind,
            name: <T as Snapshot>::NAME,
            version: T::VERSION,
            schema: Some(EntrySchema::of::<T>()),
            record_started: |_| Ok(()),
            save_before: |resources, to| save::<T>(resources, to),
            save_after: |_, _| Ok(false),
            record_ended: |_| {},
            restore: restore::<T>,
            replay_ended: |_| {},
        }
    }
}

fn save<T: Resource + Snapshot>(
    resources: &mut Resources,
    to: &mut Encoder,
) -> Result<bool, SnapshotError> {
    match resources.get::<T>() {
        Some(value) => to.save(value).map(|()| true),
        None => Ok(false),
    }
}

fn restore<T: Resource + Snapshot>(
    resources: &mut Resources,
    saved: RestoredEntry<'_>,
) -> Result<(), EntryError> {
    if !saved.before.is_present {
        resources.remove::<T>();
        return Ok(());
    }
    let mut from = Decoder::new(&saved.before.bytes);
    match resources.get_mut::<T>() {
        Some(value) => from.restore_into(saved.version, value)?,
        None => {
            let value: T = from.restore(saved.version)?;
            resources.insert(value);
        }
    }
    Ok(from.finish()?)
}
