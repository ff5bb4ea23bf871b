//! Group commit: the next batches are processed while earlier ones are synced.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::DurableEvent;
use super::batch::BatchWriter;
use super::dead_letters::DeadLetter;
use super::digested_journal::DigestedJournal;
use super::engine::Engine;
use super::error::DurableError;
use crate::base::position::BatchTime;
use crate::engine::batches::BatchInput;
use crate::observe::meter::StorageMeter;
use crate::persist::journal::{EntryKind, JournalError, JournalRecord};
use crate::program::outcome::Outcome;
use schedule::internal::{FirstPanic, Instant};

/// Maximum number of batches that are processed and not synced.
const MAX_AHEAD: usize = 8;

/// The user code that a stream calls for each batch. All of it may panic.
pub(super) struct UserCode<'u, E: DurableEvent> {
    pub(super) events: &'u mut dyn Iterator<Item = E>,
    pub(super) clock: &'u mut dyn FnMut() -> BatchTime,
    pub(super) outcomes: &'u mut dyn FnMut(Outcome<E>),
}

/// Processes at most `max_batches` batches of events and of follow-up events, until there are none: first `first`, if there is
/// one. Reports the outcomes of each batch after it is synced.
///
/// `is_closed` is set if the journal may have a batch that was not processed, or may lack one that was.
///
/// # Errors
///
/// As for [`DurableStream::process`](super::DurableStream::process).
pub(super) fn run_pipelined<E: DurableEvent>(
    engine: &mut Engine<E>,
    journal: &mut DigestedJournal,
    mut user: UserCode<'_, E>,
    first: Option<BatchWriter<E>>,
    max_batches: u64,
    is_closed: &mut bool,
    meter: &mut StorageMeter,
) -> Result<(), DurableError> {
    let mut digests = Vec::new();
    let (processed, panics) = thread::scope(|scope| {
        let (records, to_write) = sync_channel(MAX_AHEAD);
        let (acknowledge, synced) = channel();
        let of_writer = meter.clone();
        let to_journal = &mut *journal;
        scope.spawn(move || write(to_journal, &to_write, &acknowledge, of_writer));
        let mut pipeline = Pipeline {
            engine,
            records,
            synced,
            begun: VecDeque::new(),
            waiting: VecDeque::new(),
            digests: &mut digests,
            bodies: Vec::new(),
            last_sent: 0,
            last_synced: 0,
            is_closed: &mut *is_closed,
            meter: &mut *meter,
        };
        let mut panics = FirstPanic::default();
        let mut processed = Ok(());
        panics.call(|| processed = pipeline.run_batches(&mut user, first, max_batches));
        let Pipeline {
            records,
            synced,
            waiting,
            last_sent,
            mut last_synced,
            ..
        } = pipeline;
        // The batches that were sent are synced in any case. After an error or a panic, their outcomes are dropped.
        drop(records);
        for one in synced {
            match one {
                Ok(synced) => last_synced = synced.last,
                Err(error) => processed = Err(error.into()),
            }
        }
        *is_closed |= last_synced < last_sent;
        meter.note_none_in_flight();
        panics.drop_each(waiting.into_iter().flat_map(|(_, outcomes)| outcomes));
        (processed, panics)
    });
    journal.keep(digests);
    panics.resume();
    processed
}

/// A group that is synced.
struct Synced {
    last: u64,
    /// Its bodies, whose memory can be used again.
    bodies: Vec<Vec<u8>>,
}

/// Batches in flight.
struct Pipeline<'p, E: DurableEvent> {
    engine: &'p mut Engine<E>,
    /// Receives the record of each batch, after the digests of the outcomes of earlier ones.
    records: SyncSender<(Vec<JournalRecord>, JournalRecord)>,
    /// The result of each sync.
    synced: Receiver<Result<Synced, JournalError>>,
    /// The numbers of the batches that have begun and are not finished, the oldest first.
    begun: VecDeque<u64>,
    /// The outcomes of the batches whose sync is not known, the oldest first.
    waiting: VecDeque<(u64, Vec<Outcome<E>>)>,
    /// The digests of the outcomes of finished batches, which come before the next record.
    digests: &'p mut Vec<JournalRecord>,
    /// Memory of bodies that were written.
    bodies: Vec<Vec<u8>>,
    /// The last batch whose record was sent.
    last_sent: u64,
    /// The last batch that is synced.
    last_synced: u64,
    is_closed: &'p mut bool,
    meter: &'p mut StorageMeter,
}

impl<E: DurableEvent> Pipeline<'_, E> {
    fn run_batches(
        &mut self,
        user: &mut UserCode<'_, E>,
        mut first: Option<BatchWriter<E>>,
        max_batches: u64,
    ) -> Result<(), DurableError> {
        let mut processed = Ok(());
        for _ in 0..max_batches {
            match self.run_batch(user, first.take()) {
                Ok(true) => self.release(MAX_AHEAD - 1, user.outcomes)?,
                Ok(false) => break,
                Err(error) => {
                    processed = Err(error);
                    break;
                }
            }
        }
        // After an error of other processes, the batches that have begun cannot be finished.
        let cannot_finish = matches!(
            processed,
            Err(DurableError::Executor(_)
                | DurableError::EndsProcess { .. }
                | DurableError::DeadLetters { .. })
        );
        if !cannot_finish {
            processed = processed.and(self.finish_all());
        }
        self.release(0, user.outcomes)?;
        processed
    }

    /// Finishes all batches that have begun.
    fn finish_all(&mut self) -> Result<(), DurableError> {
        while !self.begun.is_empty() {
            self.finish_batch()?;
        }
        Ok(())
    }

    /// Finishes the oldest batch that has begun.
    fn finish_batch(&mut self) -> Result<(), DurableError> {
        let Some(number) = self.begun.pop_front() else {
            return Ok(());
        };
        let mut outcomes = Vec::new();
        while let Err(error) = self.engine.finish(&mut outcomes) {
            match error {
                DurableError::EndsProcess {
                    letter,
                    may_be_released: false,
                } => self.decide_dead_letter(letter)?,
                error => return Err(error),
            }
        }
        self.digests.extend(self.engine.take_digest_entry());
        *self.is_closed = !self.begun.is_empty();
        self.meter.note_in_flight(outcomes.len());
        self.waiting.push_back((number, outcomes));
        Ok(())
    }

    /// Makes an event of the oldest batch that has begun a dead letter.
    fn decide_dead_letter(&mut self, letter: DeadLetter) -> Result<(), DurableError> {
        let next = self.last_sent + 1;
        let record = self.engine.admit_dead_letter(next, &letter)?;
        while self.last_synced < self.last_sent {
            self.wait_for_sync()?;
        }
        drop(self.records.send((Vec::new(), record)));
        self.wait_for_sync()?;
        self.engine.accept_dead_letter(next, letter)
    }

    /// Waits until the next group is synced.
    fn wait_for_sync(&mut self) -> Result<(), DurableError> {
        // The thread ends only after an error, as long as records may come.
        let synced = self.synced.recv().map_err(|_| DurableError::Closed)?;
        self.note_synced(synced?);
        Ok(())
    }

    fn note_synced(&mut self, Synced { last, bodies }: Synced) {
        self.bodies.extend(bodies);
        self.last_synced = last;
    }

    /// Processes a batch, and sends its record. Returns whether there was one.
    fn run_batch(
        &mut self,
        user: &mut UserCode<'_, E>,
        batch: Option<BatchWriter<E>>,
    ) -> Result<bool, DurableError> {
        self.engine.check_runs()?;
        let writer = match batch {
            Some(writer) => writer,
            None => self.next_writer(user.events)?,
        };
        if writer.is_empty() {
            // They may cause follow-up events.
            self.finish_all()?;
            self.engine.check_runs()?;
        }
        if writer.is_empty() && self.engine.stream.n_pending() == 0 {
            return Ok(false);
        }
        let (record, batch) = self.engine.record(user.clock, writer)?;
        let (number, time) = (record.batch, BatchTime::from_nanos(record.time));
        *self.is_closed = true;
        self.last_sent = number;
        // If the thread has ended, `synced` has its error.
        let digests = core::mem::take(self.digests);
        drop(self.records.send((digests, record)));
        self.engine.begin(time, batch)?;
        self.begun.push_back(number);
        while !self.engine.may_begin() {
            self.finish_batch()?;
        }
        Ok(true)
    }

    /// Returns the events of the next batch. None, if follow-up events must come first.
    fn next_writer(
        &mut self,
        events: &mut dyn Iterator<Item = E>,
    ) -> Result<BatchWriter<E>, DurableError> {
        let body = self.bodies.pop().unwrap_or_default();
        let mut writer = self.engine.batch_writer_in(body);
        while self.engine.input_of_next() == BatchInput::Unknown {
            self.finish_batch()?;
        }
        if self.engine.input_of_next() == BatchInput::Some {
            writer.fill(events)?;
        }
        Ok(writer)
    }

    /// Reports the outcomes of synced batches. Waits until at most `max_waiting` batches are not synced.
    fn release(
        &mut self,
        max_waiting: usize,
        outcomes: &mut dyn FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        loop {
            let last = self.last_synced;
            while let Some(batch) = self.waiting.pop_front_if(|batch| batch.0 <= last) {
                self.meter.note_released(batch.1.len());
                report(batch.1, &mut *outcomes);
            }
            let next = if self.waiting.len() > max_waiting {
                self.synced.recv().ok()
            } else {
                self.synced.try_recv().ok()
            };
            // The thread ends without an error only after all records are synced.
            let Some(synced) = next else { return Ok(()) };
            self.note_synced(synced?);
        }
    }
}

/// Calls a function with each outcome. If it panics, drops the others one at a time, because they may panic, too.
pub(super) fn report<E: DurableEvent>(all: Vec<Outcome<E>>, outcomes: &mut dyn FnMut(Outcome<E>)) {
    let mut all = all.into_iter();
    let mut panics = FirstPanic::default();
    panics.call(|| all.by_ref().for_each(outcomes));
    panics.drop_each(all);
    panics.resume();
}

/// The last batch of a journal whose last entry is this one.
fn last_batch(record: &JournalRecord) -> u64 {
    match record.kind {
        EntryKind::BATCH => record.batch,
        // Another entry has the number of the next batch.
        _ => record.batch - 1,
    }
}

/// Appends all records that wait as one group, syncs once, and repeats. Ends after the last record, or after an error.
fn write(
    journal: &mut DigestedJournal,
    records: &Receiver<(Vec<JournalRecord>, JournalRecord)>,
    synced: &Sender<Result<Synced, JournalError>>,
    mut meter: StorageMeter,
) {
    let mut group = Vec::new();
    while let Ok(first) = records.recv() {
        for (digests, record) in core::iter::once(first).chain(records.try_iter()) {
            group.extend(digests);
            group.push(record);
        }
        let start = Instant::now();
        let appended = journal.append(&mut group);
        let written = appended.and_then(|()| journal.journal().sync());
        meter.note_sync(start);
        let last = group.last().map_or(0, last_batch);
        let has_failed = written.is_err();
        let batches = group
            .drain(..)
            .filter(|entry| entry.kind == EntryKind::BATCH);
        let bodies = batches.map(|record| record.body).collect();
        let result = written.map(|()| Synced { last, bodies });
        if synced.send(result).is_err() || has_failed {
            return;
        }
    }
}
