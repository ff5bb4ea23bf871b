//! Recovery: the newest snapshot, and the batches of the journal after it.

use core::ops::ControlFlow;

use super::batch::PreviousDigest;
use super::dead_letters::{self, DeadLetter};
use super::engine::Engine;
use super::error::DurableError;
use super::history::{Histories, Rewritten};
use super::keys::KeySection;
use super::pending::PendingOwned;
use super::released::Released;
use super::remote::ElsewhereSection;
use super::replayed::ReplayedBatches;
use super::state::Methods;
use super::{Durable, DurableEvent, batch};
use crate::base::notices;
use crate::base::position::{BatchTime, Position};
use crate::persist::journal::{
    EntryKind, Journal, JournalError, JournalHead, JournalRecord, RULES, Recovered, Snapshots,
    StoredRecord, check_followed,
};
use crate::program::outcome::Outcome;
use schedule::snapshot::{Decoder, Snapshot, SnapshotReader};
use schedule::{FailurePolicy, Resources};

/// The result of a recovery.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Recovery {
    /// The batch of the snapshot from which the state was restored. 0 is the state before the first batch.
    pub snapshot: u64,
    /// Number of batches after it that were processed again.
    pub n_replayed: u64,
    /// The number of the present [history](super::DurableStream::history).
    pub history: u64,
    /// Batches of snapshots that are damaged, and were not used.
    pub damaged_snapshots: Vec<u64>,
    /// The events that this recovery has made dead letters. See
    /// [`DurableStream::dead_letters`](super::DurableStream::dead_letters) for all.
    pub new_dead_letters: Vec<DeadLetter>,
    /// The dead letters whose position has another follow-up event now, usually because this recovery or an earlier one has
    /// [accepted new outcomes](Durable::accept_new_outcomes_from). That event was handled.
    pub replaced_dead_letters: Vec<DeadLetter>,
    /// The changes in the directory. None for a journal in memory.
    pub files: Recovered,
}

/// Recovers the state, and starts the journal. Returns entries for the journal, too, that must come before the next batch.
pub(super) fn recover<E: DurableEvent>(
    mut durable: Durable<E>,
    journal: &mut dyn Journal,
    snapshots: &mut dyn Snapshots,
    resources: Resources,
) -> Result<(Engine<E>, Recovery, Vec<JournalRecord>), DurableError> {
    let mut engine = Engine::new(&mut durable, resources)?;
    if let Some(head) = journal.head() {
        check_program(head, engine.head())?;
    }
    let mut recovery = Recovery::default();
    // Releases that wrote format 1 stored none.
    let mut has_schemas = true;
    let newest = match &durable.outcomes {
        Some(from) => from.first.batch.saturating_sub(1),
        None => u64::MAX,
    };
    match find_snapshot(snapshots, newest, &mut recovery)? {
        Some((batch, bytes)) => {
            check_followed(batch)?;
            has_schemas &= restore(&mut engine, batch, &bytes, &durable)?;
            recovery.snapshot = batch;
        }
        None => {
            if let Some(executor) = engine.executor() {
                executor.restore(None).map_err(DurableError::Executor)?;
            }
            let all = snapshots.list()?;
            let oldest = all.iter().rev().find(|batch| **batch > newest);
            match (journal.first_batch(), oldest) {
                (None, None)
                    if all.is_empty() && journal.next_batch() == 1 && !journal.is_read_only() =>
                {
                    snapshots.write(0, &engine.snapshot()?)?
                }
                (_, Some(oldest)) => return Err(too_old(&durable, *oldest)),
                (first, None) => {
                    journal.check_unchanged()?;
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
        journal.check_unchanged()?;
        return Err(match durable.outcomes {
            Some(_) => too_old(&durable, first - 1),
            None => DurableError::Gap {
                snapshot: recovery.snapshot,
                first,
            },
        });
    }
    engine.read_dead_letters(journal)?;
    engine.open_mark(journal)?;
    if engine.stream.failure_policy() == FailurePolicy::Stop {
        for_each_record(journal, recovery.snapshot, |stored| {
            if stored.record.kind != EntryKind::BATCH {
                return Ok(());
            }
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
    let mut outcomes = Released::new(durable.outcomes.take(), skips.first().copied());
    let mut replayed = ReplayedBatches::new();
    if let Some(from) = &outcomes.from {
        // Nothing of an older history is reported.
        let later = later_histories(journal, &recovery, engine.histories.current())?;
        let mut all = engine.histories.clone();
        later.iter().for_each(|one| all.add(*one));
        if let Some(history) = durable.read_history {
            all.check_reader(history, from.first)?;
        }
        replayed.later.set_stored(later);
    }
    let (last, mut is_started) = (journal.last_batch(), false);
    // The number of entries that were applied. The loop goes on after them.
    let mut n_applied = 0_u64;
    loop {
        let (mut due, mut deadly, mut nth) = (None, None, 0);
        let applied = for_each_record_until(journal, recovery.snapshot, |stored| {
            nth += 1;
            if nth <= n_applied {
                return Ok(ControlFlow::Continue(()));
            }
            if stored.record.kind == EntryKind::BATCH {
                let is_last = Some(stored.record.batch) == last;
                due = dead_letters::expect_replay(&mut engine, stored, is_last)?;
                if due.is_some() {
                    return Ok(ControlFlow::Break(()));
                }
                has_schemas &= stored.head.events.is_some();
            }
            let report = &mut outcomes;
            match apply(&durable, &mut engine, &mut replayed, report, stored) {
                Err(DurableError::EndsProcess {
                    letter,
                    may_be_released: false,
                }) => deadly = Some(letter),
                applied => applied?,
            }
            recovery.n_replayed += u64::from(stored.record.kind == EntryKind::BATCH);
            n_applied = nth;
            Ok(match deadly {
                None => ControlFlow::Continue(()),
                Some(_) => ControlFlow::Break(()),
            })
        });
        match applied {
            Ok(()) if due.is_none() && deadly.is_none() => break,
            Ok(()) => {}
            Err(error @ DurableError::Differs { batch, .. }) => {
                if replayed.later.stored().is_empty() {
                    let later = later_histories(journal, &recovery, engine.histories.current())?;
                    replayed.later.set_stored(later);
                }
                if replayed.later.may_differ(batch) {
                    // The journal has accepted the new outcomes.
                    continue;
                }
                let is_allowed = durable.accepts_from.is_some_and(|first| batch >= first);
                if !is_allowed || has_whole_snapshot(snapshots, &recovery, batch)? {
                    return Err(error.with_answers(&mut engine, snapshots));
                }
                replayed.later.accept(batch);
                continue;
            }
            Err(error) => return Err(error),
        }
        if !core::mem::replace(&mut is_started, true) {
            journal.start(engine.head())?;
        }
        if let Some(due) = due {
            due.decide(&mut engine, journal, &mut recovery)?;
        }
        if let Some(letter) = deadly {
            let all = dead_letters::finish_without(letter, &mut engine, journal, &mut recovery)?;
            push_replayed(&mut engine, &mut replayed, all);
        }
    }
    if engine.last() + 1 != journal.next_batch() {
        journal.check_unchanged()?;
        return Err(DurableError::Gap {
            snapshot: engine.last(),
            first: journal.next_batch(),
        });
    }
    if let Some(marking) = engine.marking() {
        marking.end_recovery()?;
    }
    recovery.replaced_dead_letters = engine.dead_letters.take_replaced();
    for letter in &recovery.replaced_dead_letters {
        notices::replaced_dead_letter(&engine.head().program, letter);
    }
    if !has_schemas {
        notices::unknown_schemas(&engine.head().program);
    }
    if replayed.later.accepted().is_none() {
        replayed.release(u64::MAX, |all| outcomes.release(all));
    }
    let is_passed = |position: &&Position| !engine.passed().contains(position);
    if let Some(&position) = skips.iter().find(is_passed) {
        let stopped = engine.stopped();
        return Err(DurableError::NotStopped { position, stopped });
    }
    engine.set_rules(RULES);
    if !is_started && !journal.is_read_only() {
        journal.start(engine.head())?;
    }
    if let Some(from) = replayed.later.accepted() {
        begin_history(from, &mut engine, journal, &mut replayed)?;
        if let (Some(history), Some(from)) = (durable.read_history, &outcomes.from) {
            engine.histories.check_reader(history, from.first)?;
        }
        replayed.release(u64::MAX, |all| outcomes.release(all));
    }
    let has_new_history = replayed.later.accepted().is_some();
    recovery.history = engine.histories.current();
    let mut digests = replayed.into_entries();
    if let Some((record, max)) = engine.max_pending_record()
        && !journal.is_read_only()
    {
        journal.append(&[record])?;
        journal.sync()?;
        engine.set_max_pending(Some(max));
    }
    if !skips.is_empty() {
        let (record, batch) = engine.skip_record(&skips)?;
        let time = BatchTime::from_nanos(record.time);
        journal.append(&[record])?;
        journal.sync()?;
        outcomes.release_held();
        let mut after = Vec::new();
        engine.run(time, batch, &mut after)?;
        outcomes.release(after);
        digests.extend(engine.take_digest_entry());
    }
    // So the batches of the new history need not be processed again. Skipped positions are in the journal now.
    if has_new_history && engine.stopped().is_none() {
        snapshots.write(engine.last(), &engine.snapshot()?)?;
    }
    Ok((engine, recovery, digests))
}

/// Applies an entry of the journal.
pub(super) fn apply<E: DurableEvent>(
    durable: &Durable<E>,
    engine: &mut Engine<E>,
    replayed: &mut ReplayedBatches<E>,
    outcomes: &mut Released<E>,
    stored: StoredRecord<'_>,
) -> Result<(), DurableError> {
    match stored.record.kind {
        EntryKind::BATCH => {}
        EntryKind::OUTCOME_DIGESTS => return replayed.check(stored.record),
        EntryKind::NEW_HISTORY => {
            let rewritten = Rewritten::of_entry(&stored.record.body)?;
            engine.histories.add(rewritten);
            replayed.later.begin(rewritten.history);
            return Ok(());
        }
        _ => return replay_note(engine, stored.record),
    }
    let (checked, next) = replay(durable, engine, replayed, stored)?;
    // What may differ is reported only when its new history has begun.
    let may_differ = match &outcomes.from {
        Some(_) => replayed.later.first(),
        None => None,
    };
    // An event of a batch that was never released may still become a dead letter.
    let unreleased = engine.marking().and_then(|mark| mark.first_unreleased());
    let held = [may_differ, unreleased].into_iter().flatten();
    let checked = held.fold(checked, |checked, first| {
        checked.min(first.saturating_sub(1))
    });
    replayed.release(checked, |all| outcomes.release(all));
    push_replayed(engine, replayed, next);
    Ok(())
}

/// Adds the last batch of the engine to those that were replayed.
fn push_replayed<E: DurableEvent>(
    engine: &mut Engine<E>,
    replayed: &mut ReplayedBatches<E>,
    outcomes: Vec<Outcome<E>>,
) {
    let (time, digests) = (engine.stream.time(), engine.take_outcome_digests());
    replayed.push(engine.last(), time, outcomes, digests);
}

/// Returns the histories that begin in the journal after the snapshot, and after this history.
fn later_histories(
    journal: &mut dyn Journal,
    recovery: &Recovery,
    current: u64,
) -> Result<Vec<Rewritten>, DurableError> {
    let mut later = Vec::new();
    for_each_record(journal, recovery.snapshot, |stored| {
        if stored.record.kind == EntryKind::NEW_HISTORY {
            let rewritten = Rewritten::of_entry(&stored.record.body)?;
            later.extend((rewritten.history > current).then_some(rewritten));
        }
        Ok(())
    })?;
    Ok(later)
}

/// Returns whether there is a snapshot of this batch or a later one, except those that are known to be damaged.
fn has_whole_snapshot(
    snapshots: &dyn Snapshots,
    recovery: &Recovery,
    batch: u64,
) -> Result<bool, DurableError> {
    let damaged = &recovery.damaged_snapshots;
    let all = snapshots.list()?;
    Ok(all.iter().any(|of| *of >= batch && !damaged.contains(of)))
}

/// Begins a new history with the outcomes of the batches from this one on, which were replayed.
fn begin_history<E: DurableEvent>(
    from: u64,
    engine: &mut Engine<E>,
    journal: &mut dyn Journal,
    replayed: &mut ReplayedBatches<E>,
) -> Result<(), DurableError> {
    let history = engine.histories.current() + 1;
    let rewritten = Rewritten { history, from };
    let next = engine.last() + 1;
    let mut entries = vec![rewritten.into_entry(next, engine.stream.time())];
    entries.extend(replayed.entries_from(from));
    entries.iter_mut().for_each(|entry| entry.batch = next);
    journal.append(&entries)?;
    journal.sync()?;
    engine.histories.add(rewritten);
    Ok(())
}

/// Calls a function with each record after a batch, until it fails.
fn for_each_record(
    journal: &mut dyn Journal,
    after: u64,
    mut visit: impl FnMut(StoredRecord<'_>) -> Result<(), DurableError>,
) -> Result<(), DurableError> {
    for_each_record_until(journal, after, |stored| {
        visit(stored).map(ControlFlow::Continue)
    })
}

/// Calls a function with each record after a batch, until it breaks or fails.
fn for_each_record_until(
    journal: &mut dyn Journal,
    after: u64,
    mut visit: impl FnMut(StoredRecord<'_>) -> Result<ControlFlow<()>, DurableError>,
) -> Result<(), DurableError> {
    let mut visited = Ok(());
    journal.read(after + 1, &mut |stored| match visit(stored) {
        Ok(flow) => flow,
        Err(error) => {
            visited = Err(error);
            ControlFlow::Break(())
        }
    })?;
    visited
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
        first: Position::new(snapshot.saturating_add(1), 0),
    }
}

/// Replaces the state by that of the snapshot of a batch. Returns whether the snapshot has the schemas of its values.
pub(super) fn restore<E: DurableEvent>(
    engine: &mut Engine<E>,
    batch: u64,
    bytes: &[u8],
    durable: &Durable<E>,
) -> Result<bool, DurableError> {
    let reader = SnapshotReader::new(bytes)?.with_changes(durable.changes.clone());
    let PendingOwned::<E> {
        skipped,
        time,
        max_pending,
        version,
        pending,
    } = PendingOwned::of_snapshot(&reader, &durable.changes)?;
    if version != <E as Snapshot>::VERSION && !pending.is_empty() && !durable.replays_older {
        return Err(DurableError::OtherVersion {
            batch: None,
            of: <E as Snapshot>::NAME.to_string(),
            found: version,
            expected: <E as Snapshot>::VERSION,
        });
    }
    // An event of a later batch would wait forever.
    if pending.iter().any(|pending| pending.cause.batch > batch) {
        let error = Decoder::new(bytes).error("a follow-up event has a later cause");
        return Err(error.into());
    }
    engine.stream.set_pending(pending);
    engine.stream.skip(skipped);
    engine.stream.set_time(time);
    engine.set_max_pending(max_pending);
    if reader.contains::<Histories>() {
        engine.histories = reader.restore()?;
    }
    let mut has_schemas = reader.has_schemas();
    if let Some(keys) = engine.keys()
        && reader.contains::<KeySection>()
    {
        let section: KeySection = reader.restore()?;
        let has_unknown_shapes = section.has_unknown_shapes();
        keys.restore(section);
        has_schemas &= !has_unknown_shapes;
    }
    let is_cluster = reader.contains::<ElsewhereSection>();
    if is_cluster != engine.executor().is_some() {
        return Err(DurableError::OtherProcesses { is_cluster });
    }
    if let Some(executor) = engine.executor() {
        let ElsewhereSection(saved) = reader.restore()?;
        reader.check_claims()?;
        let restored = executor.restore(Some(&saved));
        restored.map_err(DurableError::Executor)?;
        return Ok(has_schemas);
    }
    for state in engine.states().to_vec() {
        if let Methods::Saved { restore, .. } = state.methods {
            // A resource that an older version did not have keeps its first value.
            restore(&mut engine.resources, &reader)?;
        }
    }
    reader.check_claims()?;
    Ok(has_schemas)
}

/// Applies an entry of the journal that is not a batch.
fn replay_note<E: DurableEvent>(
    engine: &mut Engine<E>,
    record: &JournalRecord,
) -> Result<(), DurableError> {
    let max = record.body.as_slice().try_into().map(u32::from_le_bytes);
    match (record.kind, max) {
        (EntryKind::MAX_PENDING, Ok(max)) => {
            engine.set_max_pending(Some(max));
            Ok(())
        }
        // They were read before.
        (EntryKind::DEAD_LETTER, _) => Ok(()),
        (kind, _) if kind.is_optional() => Ok(()),
        (kind, _) => Err(DurableError::Journal(JournalError::UnknownEntry {
            place: "the end of the journal".to_string(),
            batch: record.batch,
            kind: kind.number(),
        })),
    }
}

/// Runs a batch of the journal again. Returns the last batch whose outcomes are checked, and the outcomes of this one.
fn replay<E: DurableEvent>(
    durable: &Durable<E>,
    engine: &mut Engine<E>,
    replayed: &ReplayedBatches<E>,
    stored: StoredRecord<'_>,
) -> Result<(u64, Vec<Outcome<E>>), DurableError> {
    let StoredRecord {
        record,
        head,
        rules,
        ..
    } = stored;
    check_program(head, engine.head())?;
    if !durable.replays_older {
        check_version(record.batch, "program", head.version, durable.version)?;
        let name = <E as Snapshot>::NAME;
        let version = batch::event_version::<E>(head);
        check_version(record.batch, name, version, <E as Snapshot>::VERSION)?;
    }
    let is_older = durable.replays_older && head.version != durable.version;
    if !is_older && head.constants != engine.constants(rules) {
        return Err(DurableError::ConstantChanged {
            batch: record.batch,
        });
    }
    let batch = batch::decode::<E>(stored, &durable.changes)?;
    // Without a digest, the outcomes of the previous batch cannot be checked.
    let mut checked = engine.last();
    if let Some(PreviousDigest { distance, digest }) = batch.previous {
        checked = record.batch.saturating_sub(distance.into());
        let may_differ = replayed.later.may_differ(checked);
        if !may_differ && engine.digest_of(checked).is_some_and(|now| now != digest) {
            return Err(replayed.differs(checked, None));
        }
    }
    if engine.check_runs().is_err() && !batch.events.is_empty() {
        // The stream was not stopped when the record was written.
        if replayed.later.may_differ(engine.last()) {
            // It cannot be accepted that later events do not run.
            engine.check_runs()?;
        }
        return Err(match engine.stopped() {
            Some(position) => replayed.differs(position.batch, Some(position.index)),
            None => replayed.differs(engine.last(), None),
        });
    }
    engine.set_rules(rules);
    let mut outcomes = Vec::new();
    let replayed = engine.run(BatchTime::from_nanos(record.time), batch, &mut outcomes);
    replayed.map_err(|error| dead_letters::in_replay(error, engine))?;
    Ok((checked, outcomes))
}

pub(super) fn check_program(
    found: &JournalHead,
    expected: &JournalHead,
) -> Result<(), DurableError> {
    if found.program == expected.program {
        Ok(())
    } else {
        Err(DurableError::OtherProgram {
            found: found.program.clone(),
            expected: expected.program.clone(),
        })
    }
}

fn check_version(batch: u64, of: &str, found: u32, expected: u32) -> Result<(), DurableError> {
    if found == expected {
        Ok(())
    } else {
        Err(DurableError::OtherVersion {
            batch: Some(batch),
            of: of.to_string(),
            found,
            expected,
        })
    }
}
