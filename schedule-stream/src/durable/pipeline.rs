//! Group commit: the next batches are processed while earlier ones are synced.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::DurableEvent;
use super::batch::BatchWriter;
use super::engine::Engine;
use super::error::DurableError;
use crate::journal::{Journal, JournalError, JournalRecord};
use crate::meter::StorageMeter;
use crate::outcome::Outcome;
use crate::position::BatchTime;
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
pub(super) fn process<E: DurableEvent>(
    engine: &mut Engine<E>,
    journal: &mut dyn Journal,
    mut user: UserCode<'_, E>,
    first: Option<BatchWriter<E>>,
    max_batches: u64,
    is_closed: &mut bool,
    meter: &mut StorageMeter,
) -> Result<(), DurableError> {
    thread::scope(|scope| {
        let (records, to_write) = sync_channel(MAX_AHEAD);
        let (acknowledge, synced) = channel();
        let of_writer = meter.clone();
        scope.spawn(move || write(journal, &to_write, &acknowledge, of_writer));
        let mut pipeline = Pipeline {
            engine,
            records,
            synced,
            begun: VecDeque::new(),
            waiting: VecDeque::new(),
            bodies: Vec::new(),
            last_sent: 0,
            last_synced: 0,
            is_closed: &mut *is_closed,
            meter: &mut *meter,
        };
        let mut panics = FirstPanic::default();
        let mut processed = Ok(());
        panics.call(|| processed = pipeline.process(&mut user, first, max_batches));
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
        panics.resume();
        processed
    })
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
    records: SyncSender<JournalRecord>,
    /// The result of each sync.
    synced: Receiver<Result<Synced, JournalError>>,
    /// The numbers of the batches that have begun and are not finished, the oldest first.
    begun: VecDeque<u64>,
    /// The outcomes of the batches whose sync is not known, the oldest first.
    waiting: VecDeque<(u64, Vec<Outcome<E>>)>,
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
    fn process(
        &mut self,
        user: &mut UserCode<'_, E>,
        mut first: Option<BatchWriter<E>>,
        max_batches: u64,
    ) -> Result<(), DurableError> {
        let mut processed = Ok(());
        for _ in 0..max_batches {
            match self.process_batch(user, first.take()) {
                Ok(true) => self.release(MAX_AHEAD - 1, user.outcomes)?,
                Ok(false) => break,
                Err(error) => {
                    processed = Err(error);
                    break;
                }
            }
        }
        // After an error of other processes, the batches that have begun cannot be finished.
        if !matches!(processed, Err(DurableError::Executor(_))) {
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
        self.engine.finish(&mut outcomes)?;
        *self.is_closed = !self.begun.is_empty();
        self.meter.note_in_flight(outcomes.len());
        self.waiting.push_back((number, outcomes));
        Ok(())
    }

    /// Processes a batch, and sends its record. Returns whether there was one.
    fn process_batch(
        &mut self,
        user: &mut UserCode<'_, E>,
        batch: Option<BatchWriter<E>>,
    ) -> Result<bool, DurableError> {
        self.engine.check_runs()?;
        let mut body = || self.bodies.pop().unwrap_or_default();
        let mut writer = batch.unwrap_or_else(|| self.engine.batch_writer_in(body()));
        writer.fill(user.events)?;
        if writer.is_empty() {
            // They may cause follow-up events.
            self.finish_all()?;
            self.engine.check_runs()?;
        }
        if writer.is_empty() && self.engine.stream.n_pending() == 0 {
            return Ok(false);
        }
        let time = (user.clock)();
        let (record, batch) = self.engine.record(time, writer)?;
        let number = record.batch;
        *self.is_closed = true;
        self.last_sent = number;
        // If the thread has ended, `synced` has its error.
        drop(self.records.send(record));
        self.engine.begin(time, batch)?;
        self.begun.push_back(number);
        while !self.engine.may_begin() {
            self.finish_batch()?;
        }
        Ok(true)
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
            let next = match self.waiting.len() > max_waiting {
                true => self.synced.recv().ok(),
                false => self.synced.try_recv().ok(),
            };
            // The thread ends without an error only after all records are synced.
            let Some(synced) = next else { return Ok(()) };
            let Synced { last, bodies } = synced?;
            self.bodies.extend(bodies);
            self.last_synced = last;
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

/// Appends all records that wait as one group, syncs once, and repeats. Ends after the last record, or after an error.
fn write(
    journal: &mut dyn Journal,
    records: &Receiver<JournalRecord>,
    synced: &Sender<Result<Synced, JournalError>>,
    mut meter: StorageMeter,
) {
    let mut group = Vec::new();
    while let Ok(first) = records.recv() {
        group.push(first);
        group.extend(records.try_iter());
        let start = Instant::now();
        let written = journal.append(&group).and_then(|()| journal.sync());
        meter.note_sync(start);
        let last = group.last().map_or(0, |record| record.batch);
        let has_failed = written.is_err();
        let bodies = group.drain(..).map(|record| record.body).collect();
        let result = written.map(|()| Synced { last, bodies });
        if synced.send(result).is_err() || has_failed {
            return;
        }
    }
}
