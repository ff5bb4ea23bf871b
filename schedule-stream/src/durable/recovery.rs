//! Recovery: the newest snapshot, and the batches of the journal after it.

use core::ops::ControlFlow;
use std::collections::VecDeque;

use super::batch::PreviousDigest;
use super::engine::Engine;
use super::error::DurableError;
use super::keys::KeySection;
use super::pending::PendingOwned;
use super::remote::ElsewhereSection;
use super::state::Methods;
use super::{Durable, DurableEvent, OutcomesFrom, batch};
use crate::journal::{Journal, JournalError, JournalHead, Recovered, Snapshots, StoredRecord};
use crate::outcome::Outcome;
use crate::position::{BatchTime, Position};
use schedule::snapshot::{Snapshot, SnapshotReader};
use schedule::{FailurePolicy, Resources};

/// What a recovery has found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Recovery {
    /// The batch of the snapshot from which the state was restored. 0 is the state before the first batch.
    pub snapshot: u64,
    /// Number of batches after it that were processed again.
    pub n_replayed: u64,
    /// Batches of snapshots that are damaged, and were not used.
    pub damaged_snapshots: Vec<u64>,
    /// What was cut or removed in the directory. Empty for a journal in memory.
    pub files: Recovered,
}

/// Recovers the state, and starts the journal.
pub(super) fn recover<E: DurableEvent>(
    mut durable: Durable<E>,
    journal: &mut dyn Journal,
    snapshots: &mut dyn Snapshots,
    resources: Resources,
) -> Result<(Engine<E>, Recovery), DurableError> {
    let mut engine = Engine::new(&mut durable, resources)?;
    if let Some(head) = journal.head() {
        check_program(head, engine.head())?;
    }
    let mut recovery = Recovery::default();
    let newest = match &durable.outcomes {
        Some(from) => from.first.batch.saturating_sub(1),
        None => u64::MAX,
    };
    match find_snapshot(snapshots, newest, &mut recovery)? {
        Some((batch, bytes)) => {
            restore(&mut engine, &bytes, durable.replays_older)?;
            recovery.snapshot = batch;
        }
        None => {
            if let Some(executor) = engine.executor() {
                executor.restore(None).map_err(DurableError::Executor)?;
            }
            let all = snapshots.list()?;
            let oldest = all.iter().rev().find(|batch| **batch > newest);
            match (journal.first_batch(), oldest) {
                (None, None) if all.is_empty() && journal.next_batch() == 1 => {
                    snapshots.write(0, &engine.snapshot()?)?
                }
                (_, Some(oldest)) => return Err(too_old(&durable, *oldest)),
                (first, None) => {
                    let first = first.unwrap_or(journal.next_batch());
                    return Err(DurableError::NoSnapshot { first });
                }
            }
        }
    }
    engine.continue_after(recovery.snapshot);
    if let Some(first) = journal.first_batch()
        && first > recovery.snapshot + 1
    {
        return Err(match durable.outcomes {
            Some(_) => too_old(&durable, first - 1),
            None => DurableError::Gap {
                snapshot: recovery.snapshot,
                first,
            },
        });
    }
    if engine.stream.failure_policy() == FailurePolicy::Stop {
        for_each_record(journal, recovery.snapshot, |stored| {
            let skipped = batch::decode_skipped(&stored.record.body)?;
            engine.stream.skip(skipped);
            Ok(())
        })?;
    }
    let mut skips = core::mem::take(&mut durable.skips);
    skips.retain(|position| !engine.stream.skipped().contains(position));
    skips.sort_unstable();
    skips.dedup();
    engine.stream.skip(skips.iter().copied());
    let mut outcomes = Released {
        from: durable.outcomes.take(),
        first_held: skips.first().copied(),
        held: Vec::new(),
    };
    // The outcomes of the last batches that were replayed. A later record has their digest.
    let mut unchecked = VecDeque::new();
    for_each_record(journal, recovery.snapshot, |stored| {
        recovery.n_replayed += 1;
        let number = stored.record.batch;
        let (checked, next) = replay(&durable, &mut engine, stored)?;
        while let Some((_, all)) = unchecked.pop_front_if(|of: &mut (u64, _)| of.0 <= checked) {
            outcomes.release(all);
        }
        unchecked.push_back((number, next));
        Ok(())
    })?;
    if engine.last() + 1 != journal.next_batch() {
        return Err(DurableError::Gap {
            snapshot: engine.last(),
            first: journal.next_batch(),
        });
    }
    unchecked
        .into_iter()
        .for_each(|(_, all)| outcomes.release(all));
    let is_passed = |position: &&Position| !engine.passed().contains(position);
    if let Some(&position) = skips.iter().find(is_passed) {
        let stopped = engine.stopped();
        return Err(DurableError::NotStopped { position, stopped });
    }
    journal.start(engine.head())?;
    if !skips.is_empty() {
        let (record, batch) = engine.skip_record(&skips)?;
        let time = BatchTime::from_nanos(record.time);
        journal.append(&[record])?;
        journal.sync()?;
        outcomes.release_held();
        let mut after = Vec::new();
        engine.run(time, batch, &mut after)?;
        outcomes.release(after);
    }
    Ok((engine, recovery))
}

/// Calls a function with each record after a batch, until it fails.
fn for_each_record(
    journal: &mut dyn Journal,
    after: u64,
    mut visit: impl FnMut(StoredRecord<'_>) -> Result<(), DurableError>,
) -> Result<(), DurableError> {
    let mut visited = Ok(());
    journal.read(after + 1, &mut |stored| {
        visited = visit(stored);
        match visited {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    visited
}

/// The outcomes that are reported again.
struct Released<E: DurableEvent> {
    from: Option<OutcomesFrom<E>>,
    /// Outcomes after this position depend on a record that is not in the journal yet.
    first_held: Option<Position>,
    held: Vec<Outcome<E>>,
}

impl<E: DurableEvent> Released<E> {
    /// Reports outcomes, or holds them.
    fn release(&mut self, outcomes: Vec<Outcome<E>>) {
        let Some(from) = &mut self.from else {
            return;
        };
        let is_wanted = |outcome: &Outcome<E>| outcome.position >= from.first;
        for outcome in outcomes.into_iter().filter(is_wanted) {
            match self.first_held.is_some_and(|held| outcome.position > held) {
                true => self.held.push(outcome),
                false => (from.callback)(outcome),
            }
        }
    }

    /// Reports the outcomes that were held: the record is in the journal.
    fn release_held(&mut self) {
        self.first_held = None;
        let held = core::mem::take(&mut self.held);
        self.release(held);
    }
}

/// Returns the newest whole snapshot of a batch up to `newest`.
fn find_snapshot(
    snapshots: &dyn Snapshots,
    newest: u64,
    recovery: &mut Recovery,
) -> Result<Option<(u64, Vec<u8>)>, DurableError> {
    for batch in snapshots.list()? {
        if batch > newest {
            continue;
        }
        match snapshots.read(batch) {
            Ok(bytes) => return Ok(Some((batch, bytes))),
            Err(JournalError::Damaged { .. }) => recovery.damaged_snapshots.push(batch),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

fn too_old<E: DurableEvent>(durable: &Durable<E>, snapshot: u64) -> DurableError {
    let wanted = durable.outcomes.as_ref();
    DurableError::TooOld {
        position: wanted.map_or(Position::default(), |from| from.first),
        first: Position::new(snapshot + 1, 0),
    }
}

/// Replaces the state by that of a snapshot.
fn restore<E: DurableEvent>(
    engine: &mut Engine<E>,
    bytes: &[u8],
    replays_older: bool,
) -> Result<(), DurableError> {
    let reader = SnapshotReader::new(bytes)?;
    let PendingOwned::<E> {
        skipped,
        time,
        version,
        pending,
    } = reader.restore()?;
    if version != <E as Snapshot>::VERSION && !pending.is_empty() && !replays_older {
        return Err(DurableError::OtherVersion {
            batch: None,
            of: <E as Snapshot>::NAME.to_string(),
            found: version,
            expected: <E as Snapshot>::VERSION,
        });
    }
    engine.stream.set_pending(pending);
    engine.stream.skip(skipped);
    engine.stream.set_time(time);
    if let Some(keys) = engine.keys()
        && reader.contains::<KeySection>()
    {
        keys.restore(reader.restore()?);
    }
    let is_cluster = reader.contains::<ElsewhereSection>();
    if is_cluster != engine.executor().is_some() {
        return Err(DurableError::OtherProcesses { is_cluster });
    }
    if let Some(executor) = engine.executor() {
        let ElsewhereSection(saved) = reader.restore()?;
        let restored = executor.restore(Some(&saved));
        return restored.map_err(DurableError::Executor);
    }
    for state in engine.states().to_vec() {
        if let Methods::Saved { restore, .. } = state.methods {
            // A resource that an older version did not have keeps its first value.
            restore(&mut engine.resources, &reader)?;
        }
    }
    Ok(())
}

/// Runs a batch of the journal again. Returns the last batch whose outcomes are checked, and the outcomes of this one.
fn replay<E: DurableEvent>(
    durable: &Durable<E>,
    engine: &mut Engine<E>,
    stored: StoredRecord<'_>,
) -> Result<(u64, Vec<Outcome<E>>), DurableError> {
    let StoredRecord { record, head, .. } = stored;
    check_program(head, engine.head())?;
    if !durable.replays_older {
        check_version(record.batch, "program", head.version, durable.version)?;
        let name = <E as Snapshot>::NAME;
        let version = batch::event_version::<E>(head);
        check_version(record.batch, name, version, <E as Snapshot>::VERSION)?;
    }
    let is_older = durable.replays_older && head.version != durable.version;
    if !is_older && head.constants != engine.head().constants {
        return Err(DurableError::ConstantChanged {
            batch: record.batch,
        });
    }
    let batch = batch::decode::<E>(stored)?;
    // Without a digest, the outcomes of the previous batch cannot be checked.
    let mut checked = engine.last();
    if let Some(PreviousDigest { distance, digest }) = batch.previous {
        checked = record.batch.saturating_sub(distance.into());
        if engine.digest_of(checked).is_some_and(|now| now != digest) {
            return Err(DurableError::Differs { batch: checked });
        }
    }
    if let Some(position) = engine.stopped()
        && !batch.events.is_empty()
    {
        // The stream was not stopped when the record was written.
        return Err(DurableError::Differs {
            batch: position.batch,
        });
    }
    let mut outcomes = Vec::new();
    engine.run(BatchTime::from_nanos(record.time), batch, &mut outcomes)?;
    Ok((checked, outcomes))
}

fn check_program(found: &JournalHead, expected: &JournalHead) -> Result<(), DurableError> {
    match found.program == expected.program {
        true => Ok(()),
        false => Err(DurableError::OtherProgram {
            found: found.program.clone(),
            expected: expected.program.clone(),
        }),
    }
}

fn check_version(batch: u64, of: &str, found: u32, expected: u32) -> Result<(), DurableError> {
    match found == expected {
        true => Ok(()),
        false => Err(DurableError::OtherVersion {
            batch: Some(batch),
            of: of.to_string(),
            found,
            expected,
        }),
    }
}
