//! A durable stream that a program calls itself.

use core::fmt;
use std::sync::Arc;

use super::DurableEvent;
use super::batch::BatchWriter;
use super::dead_letters::{DeadLetter, DeadLetterList};
use super::digested_journal::DigestedJournal;
use super::engine::Engine;
use super::error::DurableError;
use super::history::Rewritten;
use super::pipeline::{self, UserCode};
use super::recovery::Recovery;
use crate::base::position::{BatchTime, Position};
use crate::observe::meter::StorageMeter;
use crate::persist::journal::{Journal, JournalError, Snapshots, retain};
use crate::program::outcome::Outcome;
use schedule::Resources;
use schedule::internal::{HAS_THREADS, Instant};

/// A stream whose batches are in a journal. It owns the resources of its handlers.
///
/// An outcome is released after its batch and all earlier ones are synced. Create it with [`Durable::recover`](super::Durable::recover).
pub struct DurableStream<E: DurableEvent> {
    engine: Engine<E>,
    journal: DigestedJournal,
    snapshots: Box<dyn Snapshots>,
    recovery: Recovery,
    clock: Box<dyn FnMut() -> BatchTime + Send>,
    meter: StorageMeter,
    /// Whether the journal may have a batch that was not processed.
    is_closed: bool,
}

/// The parts of an open stream.
pub(crate) struct StreamParts<E: DurableEvent> {
    pub(crate) engine: Engine<E>,
    pub(crate) journal: DigestedJournal,
    pub(crate) snapshots: Box<dyn Snapshots>,
    pub(crate) recovery: Recovery,
    pub(crate) clock: Box<dyn FnMut() -> BatchTime + Send>,
}

impl<E: DurableEvent> DurableStream<E> {
    pub(super) fn new(
        mut engine: Engine<E>,
        mut journal: DigestedJournal,
        snapshots: Box<dyn Snapshots>,
        recovery: Recovery,
    ) -> Self {
        engine.end_recovery(journal.journal().is_read_only());
        Self::from_parts(StreamParts {
            engine,
            journal,
            snapshots,
            recovery,
            clock: Box::new(BatchTime::now),
        })
    }

    /// Returns what the recovery has found.
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    pub(super) fn recovery_mut(&mut self) -> &mut Recovery {
        &mut self.recovery
    }

    /// Returns the number of the present history: how often outcomes were replaced by
    /// [`Durable::accept_new_outcomes_from`](super::Durable::accept_new_outcomes_from).
    pub fn history(&self) -> u64 {
        self.engine.histories.current()
    }

    /// Returns the first batch whose outcomes were replaced since an earlier history, and the present history. `None` if no outcome
    /// was replaced since then.
    pub fn rewritten_since(&self, history: u64) -> Option<Rewritten> {
        self.engine.histories.since(history)
    }

    /// Returns the [dead letters](super#events-that-end-the-process) in the journal, in the order of the decisions. A snapshot that
    /// removes the beginning of the journal also removes them.
    pub fn dead_letters(&self) -> Vec<DeadLetter> {
        self.engine.dead_letters.all()
    }

    /// Returns the resources of the handlers, as they are after the last batch.
    pub fn resources(&self) -> &Resources {
        &self.engine.resources
    }

    /// Saves the state after the last batch.
    pub(super) fn saved_state(&mut self) -> Result<Vec<u8>, DurableError> {
        self.engine.snapshot()
    }

    /// Returns the number of the next batch.
    pub fn next_batch(&self) -> u64 {
        self.engine.last() + 1
    }

    /// Returns the number of follow-up events that have not arrived.
    pub fn n_pending(&self) -> usize {
        self.engine.stream.n_pending()
    }

    /// Ends the stream, and returns its journal and its snapshots. [`Durable::recover_from`](super::Durable::recover_from)
    /// replays them, for example in a test or on another machine:
    ///
    /// ```
    /// # use schedule::prelude::*;
    /// # use schedule::snapshot::Snapshot;
    /// # use schedule_stream::durable::Durable;
    /// # use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
    /// # use schedule_stream::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Default, Resource, Snapshot, Serialize, Deserialize)]
    /// # #[snapshot(name = "sum")]
    /// # struct Sum(u64);
    /// # #[derive(Event, Snapshot, Serialize, Deserialize)]
    /// # #[event(add, answer = u64)]
    /// # #[snapshot(name = "add")]
    /// # struct Add(u64);
    /// # #[handler]
    /// # fn add(event: &Add, sum: &mut Sum) -> u64 {
    /// #     sum.0 += event.0;
    /// #     sum.0
    /// # }
    /// # fn resources() -> Resources {
    /// #     let mut resources = Resources::new();
    /// #     resources.insert_default::<Sum>();
    /// #     resources
    /// # }
    /// let program = || Durable::<Add>::new("sum", 1).state::<Sum>();
    /// let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    /// let mut stream = program().recover_from(Box::new(journal), Box::new(snapshots), resources())?;
    /// stream.process((0..5_000).map(Add), |_| ())?;
    ///
    /// let (journal, snapshots) = stream.into_storage();
    /// let replayed = program().recover_from(journal, snapshots, resources())?;
    /// assert_eq!(replayed.recovery().n_replayed, 3);
    /// assert_eq!(replayed.resources().get::<Sum>().unwrap().0, 12_497_500);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn into_storage(self) -> (Box<dyn Journal>, Box<dyn Snapshots>) {
        (self.journal.into_inner(), self.snapshots)
    }

    /// Returns the position of the event that has stopped the stream, if there is one: see
    /// [`FailurePolicy::Stop`](schedule::FailurePolicy::Stop) and [`Durable::skip`](super::Durable::skip).
    pub fn stopped(&self) -> Option<Position> {
        self.engine.stopped()
    }

    /// Sets the clock that gives the [`BatchTime`] of each batch. The default is the system clock. If it goes back, batches have the
    /// last time of the journal until it has reached that time again.
    pub fn set_clock(&mut self, clock: impl FnMut() -> BatchTime + Send + 'static) {
        self.clock = Box::new(clock);
    }

    /// Processes one batch of at most 2,048 events, as [`Stream::process_batch`](crate::Stream::process_batch), and reports
    /// its outcomes after the batch is synced. Takes no further events: with `&mut iterator` as `events`, the next call
    /// continues. While more follow-up events wait than [fit into a batch](crate::EventLimits::max_follow_ups), batches of them come
    /// first.
    ///
    /// Under [`FailurePolicy::Stop`](schedule::FailurePolicy::Stop), the events after one that failed have no outcome, and
    /// further calls fail.
    ///
    /// # Errors
    ///
    /// Fails if an event cannot be saved or is too large, if an earlier event has stopped the stream, or if too many follow-up
    /// events wait ([`DurableError::Backlog`]). Then no event was accepted. Also fails if the journal cannot be written. Then it is unknown whether the batch is in it, and the
    /// stream is closed: recovery decides.
    ///
    /// # Panics
    ///
    /// Panics if `outcomes` panics. The batch is processed, and further outcomes are not reported.
    pub fn process_batch(
        &mut self,
        events: impl IntoIterator<Item = E>,
        mut outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        let mut writer = self.open_writer()?;
        while self.engine.is_behind() {
            self.run_batch(writer, &mut outcomes)?;
            writer = self.open_writer()?;
        }
        writer.fill(&mut events.into_iter())?;
        self.run_batch(writer, &mut outcomes)
    }

    /// Processes all events in batches, and then batches of follow-up events until none is pending. A batch ends after 2,048
    /// events, or after the event that reaches 16 MiB.
    ///
    /// **Deadlocks if the iterator waits for an outcome before it yields the next event.** A [service](crate::service) processes
    /// such events.
    ///
    /// The next batches are processed while earlier ones are synced, and batches that wait are synced together. Up to 8
    /// batches are ahead of the outcomes.
    ///
    /// # Errors
    ///
    /// As for [`process_batch`](Self::process_batch). Batches before the one that was not accepted are processed and reported.
    /// Also fails if an event of this call stops the stream, under [`FailurePolicy::Stop`](schedule::FailurePolicy::Stop). The
    /// outcomes up to this event are reported. The events after it in its batch are in the journal and have no outcome. Also fails
    /// after a batch at whose end too many follow-up events wait. No further event is taken then.
    ///
    /// # Panics
    ///
    /// Panics if `events`, `outcomes` or the clock panics. All batches that were processed are synced, and further outcomes
    /// are not reported. [`Durable::outcomes_from`](super::Durable::outcomes_from) can report them again.
    pub fn process(
        &mut self,
        events: impl IntoIterator<Item = E>,
        mut outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        self.run_batches(&mut events.into_iter().fuse(), u64::MAX, &mut outcomes)
    }

    /// Processes pending follow-up events in at most `max_batches` batches, until none is pending. Returns the number of
    /// follow-up events that are still pending.
    ///
    /// # Errors
    ///
    /// As for [`process`](Self::process).
    ///
    /// # Panics
    ///
    /// As for `process`.
    pub fn drain(
        &mut self,
        max_batches: u64,
        mut outcomes: impl FnMut(Outcome<E>),
    ) -> Result<usize, DurableError> {
        if self.n_pending() > 0 && max_batches > 0 {
            self.run_batches(&mut core::iter::empty(), max_batches, &mut outcomes)?;
        }
        Ok(self.n_pending())
    }

    fn run_batches(
        &mut self,
        events: &mut dyn Iterator<Item = E>,
        max_batches: u64,
        outcomes: &mut dyn FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        let (mut first, mut max_batches) = (None, max_batches);
        while max_batches > 0 {
            let mut writer = self.open_writer()?;
            if !self.engine.is_behind() {
                writer.fill(events)?;
            }
            // More events may come, so the batch is processed while others are synced.
            if HAS_THREADS && writer.is_full() {
                first = Some(writer);
                break;
            }
            if writer.is_empty() && self.n_pending() == 0 {
                return Ok(());
            }
            self.run_batch(writer, &mut *outcomes)?;
            max_batches -= 1;
            if HAS_THREADS && self.n_pending() > 0 {
                break;
            }
        }
        if max_batches == 0 {
            return Ok(());
        }
        let user = UserCode {
            events,
            clock: &mut *self.clock,
            outcomes,
        };
        let (engine, journal) = (&mut self.engine, &mut self.journal);
        // The thread that syncs needs handles of the recorder of this one.
        self.meter.begin_call();
        self.meter.register_all();
        let (meter, is_closed) = (&mut self.meter, &mut self.is_closed);
        pipeline::run_pipelined(engine, journal, user, first, max_batches, is_closed, meter)
    }

    fn open_writer(&self) -> Result<BatchWriter<E>, DurableError> {
        if self.is_closed {
            return Err(DurableError::Closed);
        }
        // Otherwise events of the input would be lost.
        self.engine.check_runs()?;
        Ok(self.engine.batch_writer())
    }

    fn run_batch(
        &mut self,
        writer: BatchWriter<E>,
        outcomes: &mut dyn FnMut(Outcome<E>),
    ) -> Result<(), DurableError> {
        if writer.is_empty() && self.n_pending() == 0 {
            return Ok(());
        }
        let (record, batch) = self.engine.record(&mut *self.clock, writer)?;
        let time = BatchTime::from_nanos(record.time);
        self.is_closed = true;
        self.meter.begin_call();
        let start = Instant::now();
        if let Err(error) = self.journal.append(&mut vec![record]) {
            // Nothing was written.
            self.is_closed = !matches!(error, JournalError::TooLong { .. });
            return Err(error.into());
        }
        self.journal.journal().sync()?;
        self.meter.note_sync(start);
        let mut reported = Vec::new();
        self.engine.begin(time, batch)?;
        while let Err(error) = self.engine.finish(&mut reported) {
            match error {
                DurableError::EndsProcess {
                    letter,
                    may_be_released: false,
                } => self
                    .engine
                    .decide_dead_letter(self.journal.journal(), letter)?,
                error => return Err(error),
            }
        }
        self.journal.keep(self.engine.take_digest_entry());
        self.is_closed = false;
        pipeline::report(reported, outcomes);
        Ok(())
    }

    /// The dead letters.
    pub(crate) fn dead_letter_list(&self) -> DeadLetterList {
        self.engine.dead_letters.clone()
    }

    /// The name in metrics and warnings.
    pub(crate) fn name(&self) -> Arc<str> {
        self.engine.stream.observer.name()
    }

    /// Returns the parts for a service. `None` if the stream is closed.
    pub(crate) fn into_parts(self) -> Option<StreamParts<E>> {
        (!self.is_closed).then_some(StreamParts {
            engine: self.engine,
            journal: self.journal,
            snapshots: self.snapshots,
            recovery: self.recovery,
            clock: self.clock,
        })
    }

    pub(crate) fn from_parts(parts: StreamParts<E>) -> Self {
        Self {
            meter: StorageMeter::new(parts.engine.stream.observer.name()),
            engine: parts.engine,
            journal: parts.journal,
            snapshots: parts.snapshots,
            recovery: parts.recovery,
            clock: parts.clock,
            is_closed: false,
        }
    }

    /// Saves the state after the last batch. Then removes snapshots before the second newest, and the part of the journal
    /// before that. Returns the number of the batch.
    ///
    /// # Errors
    ///
    /// Fails if a resource cannot be saved, or if the snapshot cannot be written. The stream continues in both cases, unless the
    /// journal is closed.
    pub fn snapshot(&mut self) -> Result<u64, DurableError> {
        if self.is_closed {
            return Err(DurableError::Closed);
        }
        self.meter.begin_call();
        let written = self.write_snapshot();
        if written.is_err() {
            self.meter.note_snapshot_error();
        }
        written?;
        Ok(self.engine.last())
    }

    fn write_snapshot(&mut self) -> Result<(), DurableError> {
        let start = Instant::now();
        let bytes = self.engine.snapshot()?;
        self.meter.note_saved(start, bytes.len());
        let start = Instant::now();
        self.snapshots.write(self.engine.last(), &bytes)?;
        retain(self.journal.journal(), &mut *self.snapshots)?;
        self.meter.note_written(start);
        Ok(())
    }
}

impl<E: DurableEvent> fmt::Debug for DurableStream<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DurableStream")
            .field("engine", &self.engine)
            .field("is_closed", &self.is_closed)
            .finish_non_exhaustive()
    }
}
