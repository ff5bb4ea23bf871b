//! The comparison of a snapshot with a replay from the one before.

use core::fmt;
use core::ops::ControlFlow;

use super::engine::Engine;
use super::error::DurableError;
use super::history::{Histories, Rewritten};
use super::pending::PendingOwned;
use super::recovery;
use super::released::Released;
use super::replayed::ReplayedBatches;
use super::{Durable, DurableEvent, batch};
use crate::persist::journal::{Disk, EntryKind, JournalError, JournalView, StoredRecord};
use schedule::snapshot::{Section, SnapshotReader};
use schedule::{FailurePolicy, Resources};

/// The result of [`Durable::compare`](super::Durable::compare).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// The batch of the older snapshot, from which the batches were processed again.
    pub older: u64,
    /// The batch of the newer snapshot, with which the state was compared.
    pub newer: u64,
    /// The names of the sections that differ: of the types of resources, or of parts of the stream itself, which begin with
    /// `schedule-stream`.
    pub differing: Vec<String>,
    /// The names of sections that were not compared, because only one of the snapshots has them, or has them in this version.
    pub skipped: Vec<String>,
}

impl Comparison {
    /// Whether all sections that were compared are equal.
    pub fn is_equal(&self) -> bool {
        self.differing.is_empty()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { older, newer, .. } = self;
        if self.is_equal() {
            write!(
                f,
                "a replay from batch {older} gives the snapshot of batch {newer}"
            )?
        } else {
            write!(
                f,
                "a replay from batch {older} gives another state than the snapshot of batch {newer}, in "
            )?;
            write_names(f, &self.differing)?;
            f.write_str(": a handler that writes it depends on something that is neither its event nor saved")?;
        }
        if !self.skipped.is_empty() {
            f.write_str("; not compared: ")?;
            write_names(f, &self.skipped)?;
        }
        Ok(())
    }
}

pub(super) fn write_names(f: &mut fmt::Formatter<'_>, names: &[String]) -> fmt::Result {
    for (nth, name) in names.iter().enumerate() {
        let separator = if nth == 0 { "" } else { ", " };
        write!(f, "{separator}`{name}`")?;
    }
    Ok(())
}

/// See [`Durable::compare`].
pub(super) fn compare<E: DurableEvent, D: Disk>(
    mut durable: Durable<E>,
    files: &JournalView<D>,
    resources: Resources,
) -> Result<Option<Comparison>, DurableError> {
    // A batch with a dead letter runs one by one. There, the limit would abort this process.
    durable.max_handler_time = None;
    let mut engine = Engine::new(&mut durable, resources)?;
    if let Some(head) = files.head()? {
        recovery::check_program(&head, engine.head())?;
    }
    let mut readable = Vec::new();
    for batch in files.snapshots()? {
        match files.snapshot(batch) {
            Ok(bytes) => readable.push((batch, bytes)),
            Err(JournalError::Damaged { .. }) => continue,
            Err(JournalError::MissingSnapshot { .. }) => {
                // The stream is open, and has taken another snapshot since the list was read.
                let newer = readable.first().map_or(batch, |&(newer, _)| newer);
                return Err(not_comparable((batch, newer)));
            }
            Err(error) => return Err(error.into()),
        }
        if readable.len() == 2 {
            break;
        }
    }
    let [(newer, newer_bytes), (older, older_bytes)] = &readable[..] else {
        return Ok(None);
    };
    match recovery::restore(&mut engine, *older, older_bytes, &durable) {
        Err(DurableError::OtherProcesses { is_cluster: true }) => {
            return Err(DurableError::ClusterNotComparable);
        }
        restored => restored?,
    };
    engine.continue_after(*older);
    let between = (*older, *newer);
    match replay(&durable, &mut engine, files, between) {
        Ok(last) if last == *newer => {}
        Ok(_) => return Err(not_comparable(between)),
        Err(DurableError::Journal(error)) if error.is_not_found() => {
            return Err(not_comparable(between));
        }
        Err(error) => return Err(error),
    }
    // Notes after the batch may have changed these parts before the snapshot was taken.
    let expected = SnapshotReader::new(newer_bytes)?;
    engine.set_max_pending(expected.restore::<PendingOwned<E>>()?.max_pending);
    engine.histories = if expected.contains::<Histories>() {
        expected.restore()?
    } else {
        Histories::default()
    };
    let saved = engine.snapshot()?;
    let (differing, skipped) = differences(&SnapshotReader::new(&saved)?, &expected);
    Ok(Some(Comparison {
        older: *older,
        newer: *newer,
        differing,
        skipped,
    }))
}

fn not_comparable((older, newer): (u64, u64)) -> DurableError {
    DurableError::NotComparable { older, newer }
}

/// Replays the batches between two snapshots. Returns the last one.
fn replay<E: DurableEvent, D: Disk>(
    durable: &Durable<E>,
    engine: &mut Engine<E>,
    files: &JournalView<D>,
    (older, newer): (u64, u64),
) -> Result<u64, DurableError> {
    let stops = engine.stream.failure_policy() == FailurePolicy::Stop;
    let (mut skipped, mut later) = (Vec::new(), Vec::new());
    for_each_entry(files, older, |stored| {
        let record = stored.record;
        match record.kind {
            EntryKind::BATCH if stops && record.batch <= newer => {
                skipped.extend(batch::decode_skipped(&record.body)?);
            }
            EntryKind::NEW_HISTORY => later.push(Rewritten::of_entry(&record.body)?),
            EntryKind::DEAD_LETTER => engine.read_dead_letter(stored)?,
            _ => {}
        }
        Ok(true)
    })?;
    later.retain(|one| one.history > engine.histories.current());
    engine.stream.skip(skipped);
    let (mut replayed, mut nothing) = (ReplayedBatches::new(), Released::nothing());
    replayed.later.set_stored(later);
    for_each_entry(files, older, |stored| {
        let StoredRecord { record, .. } = stored;
        if record.last_concerned() > newer {
            // The digests of the last batch may come after other notes.
            return Ok(record.kind != EntryKind::BATCH);
        }
        if record.kind == EntryKind::BATCH && record.batch != engine.last() + 1 {
            return Err(not_comparable((older, newer)));
        }
        recovery::apply(durable, engine, &mut replayed, &mut nothing, stored)?;
        Ok(true)
    })?;
    Ok(engine.last())
}

/// Calls a function with each entry after a batch, until it fails or returns `false`.
fn for_each_entry<D: Disk>(
    files: &JournalView<D>,
    after: u64,
    mut visit: impl FnMut(StoredRecord<'_>) -> Result<bool, DurableError>,
) -> Result<(), DurableError> {
    let mut visited = Ok(true);
    files.read(after + 1, &mut |stored| {
        visited = visit(stored);
        match visited {
            Ok(true) => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    })?;
    visited.map(drop)
}

/// Returns the names of the sections that differ, and of those that only one snapshot has in this version.
pub(super) fn differences(
    now: &SnapshotReader<'_>,
    expected: &SnapshotReader<'_>,
) -> (Vec<String>, Vec<String>) {
    let (mut differing, mut skipped) = (Vec::new(), Vec::new());
    let of = |all: &SnapshotReader<'_>, of: Section<'_>| {
        let bytes = all.sections().find(|one| {
            let (name, version) = (one.name, one.version);
            (name, version) == (of.name, of.version)
        });
        bytes.map(|one| one.bytes.to_vec())
    };
    for section in now.sections() {
        match of(expected, section) {
            Some(bytes) if bytes == section.bytes => {}
            Some(_) => differing.push(section.name.to_string()),
            None => skipped.push(section.name.to_string()),
        }
    }
    for section in expected.sections() {
        let name = section.name.to_string();
        if of(now, section).is_none() && !skipped.contains(&name) {
            skipped.push(name);
        }
    }
    (differing, skipped)
}
