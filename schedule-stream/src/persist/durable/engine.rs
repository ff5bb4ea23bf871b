//! The state machine of a durable stream: it encodes batches, runs them, and saves its state. It does not know the journal.

mod collecting;
mod digests;
mod limit;
mod run_here;

use core::fmt;
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crc32fast::Hasher;

use self::limit::PendingLimit;
use super::batch::{Batch, BatchWriter};
use super::dead_letters::{DeadLetterDecisions, DeadLetterList};
use super::digest::Digest;
use super::error::DurableError;
use super::executor::BatchExecutor;
use super::history::Histories;
use super::keys::{BatchKey, EventResult, KeyTable};
use super::mark::Marking;
use super::outcome_digests::OutcomeDigests;
use super::pending::PendingRef;
use super::remote::{ElsewhereSection, Remote};
use super::state::{Methods, State, check_declared};
use super::watchdog::Watchdog;
use super::{Durable, DurableEvent, MAX_KEY_BYTES};
use crate::base::position::{BatchTime, Position};
use crate::engine::stream::Stream;
use crate::persist::journal::{EntryKind, JournalHead, JournalRecord, check_followed};
use crate::program::outcome::Outcome;
use schedule::internal::{NameChanges, drop_caught};
use schedule::snapshot::{Encoder, Schema, Snapshot, SnapshotWriter};
use schedule::{FailurePolicy, Resources};

/// A stream with its resources. Invariant: between two calls, `stream` has processed all batches up to `last`.
pub(crate) struct Engine<E: DurableEvent> {
    pub(crate) stream: Stream<E>,
    pub(crate) resources: Resources,
    states: Vec<State>,
    /// The names that have changed since values were saved.
    pub(super) changes: NameChanges,
    head: JournalHead,
    /// The digest of the constants in a head under the first rules.
    first_constants: u64,
    max_event_bytes: usize,
    /// The size of the last body. The next one is expected to have the same.
    n_bytes: usize,
    /// `None` if the program stores no idempotency keys.
    keys: Option<KeyTable<E>>,
    /// The idempotency keys of events that did not run, because an event before them has stopped the stream.
    unprocessed: HashSet<Arc<str>>,
    /// The number of the last batch; 0 before the first one.
    last: u64,
    /// The digests of the outcomes of the last batches, as far as they are known, the oldest first.
    digests: VecDeque<(u64, u32)>,
    /// Whether the digest of each outcome is computed.
    has_outcome_digests: bool,
    /// The digests of the outcomes of the batch that was processed last, until they are taken.
    outcome_digests: Option<OutcomeDigests>,
    pub(crate) histories: Histories,
    /// The outcomes of the batch that has begun, if it runs here.
    done: Option<Vec<Outcome<E>>>,
    /// The keys of the batches that have begun, the oldest first.
    begun_keys: VecDeque<BegunKeys>,
    /// `None` if batches run here.
    remote: Option<Remote<E>>,
    /// The position of the event that stopped the stream.
    stopped: Option<Position>,
    limit: PendingLimit,
    /// Positions of events that have failed and did not stop the stream, because they are skipped.
    passed: Vec<Position>,
    /// `None` if the processor time of handlers has no limit.
    watchdog: Option<Watchdog>,
    /// All dead letters that are in the journal.
    pub(crate) dead_letters: DeadLetterList,
    pub(super) decisions: DeadLetterDecisions,
    /// `None` if the journal has no mark, or if batches run in other processes.
    marking: Option<Marking>,
    /// The id that marks threads which call handlers: see [`CallSettings::channel`]. 0 outside a service.
    scope: u64,
    /// Whether the journal cannot be written.
    is_read_only: bool,
}

/// The idempotency keys of a batch that has begun.
struct BegunKeys {
    keys: Vec<BatchKey>,
    /// The version of the events.
    version: u32,
}

/// The result of [`Engine::push_keyed`].
pub(crate) enum Pushed<E: DurableEvent> {
    /// The event is in the batch.
    New,
    /// The event was processed before, with this outcome.
    Repeat(Outcome<E>),
    /// An event of the batch has the same key, so this one must wait for its outcome.
    Later(E),
    /// An event with this key is in the journal, but it has not run, because the stream is stopped.
    Unprocessed,
}

/// The state of an idempotency key.
enum KeyState<E: DurableEvent> {
    Nothing { digest: u128 },
    Result(Position, EventResult<E>),
    InBatch,
    Unprocessed,
}

impl<E: DurableEvent> Engine<E> {
    /// # Errors
    ///
    /// Fails if a resource is missing, or not declared.
    pub(super) fn new(
        durable: &mut Durable<E>,
        resources: Resources,
    ) -> Result<Self, DurableError> {
        let mut stream = Stream::new();
        stream.set_name(durable.program.as_str());
        // The metrics do not count what a recovery replays.
        stream.observer.meter.set_enabled(false);
        durable
            .set_up
            .drain(..)
            .for_each(|set_up| set_up(&mut stream));
        let states = core::mem::take(&mut durable.states);
        check_declared(&states, &stream, &resources)?;
        let mut constants = Encoder::new();
        let mut types = vec![(<E as Snapshot>::NAME.to_string(), <E as Snapshot>::VERSION)];
        for state in &states {
            types.push((state.name.to_string(), state.version));
            if let Methods::Constant { write } = state.methods {
                write(&resources, &mut constants)?;
            }
        }
        // These settings change outcomes, too.
        let limits = stream.limits();
        let stops = stream.failure_policy() == FailurePolicy::Stop;
        constants.write(&(
            limits.max_set_keys,
            limits.max_depth,
            limits.max_follow_ups,
            stops,
        ))?;
        let mut hasher = Hasher::new();
        hasher.update(constants.as_bytes());
        let first_constants = hasher.clone().finalize().into();
        hasher.update(&limits.max_per_event.to_le_bytes());
        // The maximum of the journal counts.
        stream.set_limits(limits.max_pending(u32::MAX));
        let head = JournalHead {
            program: durable.program.clone(),
            version: durable.version,
            types,
            constants: hasher.finalize().into(),
            events: Some(Schema::of_saved::<E>()),
        };
        if let Some(executor) = &mut durable.executor {
            let prepared = executor.prepare(&head, limits, stream.failure_policy());
            prepared.map_err(DurableError::Executor)?;
        }
        let dead_letters = DeadLetterList::default();
        Ok(Self {
            stream,
            resources,
            states,
            changes: durable.changes.clone(),
            head,
            first_constants,
            max_event_bytes: durable.max_event_bytes,
            n_bytes: 0,
            keys: durable.keys.take(),
            unprocessed: HashSet::new(),
            last: 0,
            digests: VecDeque::new(),
            has_outcome_digests: durable.has_outcome_digests,
            outcome_digests: None,
            histories: Histories::default(),
            done: None,
            begun_keys: VecDeque::new(),
            remote: durable
                .executor
                .take()
                .map(|executor| Remote::new(executor, dead_letters.clone())),
            stopped: None,
            limit: PendingLimit::new(limits.max_pending),
            passed: Vec::new(),
            watchdog: durable
                .max_handler_time
                .map(|max| Watchdog::new(&durable.program, max)),
            dead_letters,
            decisions: DeadLetterDecisions::new(durable.max_dead_letters),
            marking: None,
            scope: 0,
            is_read_only: false,
        })
    }

    /// Returns the head of the journal, the stream and the resources.
    pub(super) fn into_parts(self) -> (JournalHead, Stream<E>, Resources) {
        (self.head, self.stream, self.resources)
    }

    /// The head of the journal of this program.
    pub(super) fn head(&self) -> &JournalHead {
        &self.head
    }

    /// The digest of the constants in the head of a journal under these rules.
    pub(super) fn constants(&self, rules: u32) -> u64 {
        match rules {
            1 => self.first_constants,
            _ => self.head.constants,
        }
    }

    /// The idempotency keys, if the program stores them.
    pub(super) fn keys(&mut self) -> Option<&mut KeyTable<E>> {
        self.keys.as_mut()
    }

    /// The declared resources that are saved.
    pub(super) fn states(&self) -> &[State] {
        &self.states
    }

    /// Ends the recovery: metrics count from here. `is_read_only`: no batch may begin.
    pub(super) fn end_recovery(&mut self, is_read_only: bool) {
        self.is_read_only = is_read_only;
        self.stream.observer.meter.set_enabled(true);
    }

    /// Moves the stream to a service. This id marks threads that call handlers. All calls use the recorder of this thread.
    pub(crate) fn enter_service(&mut self, scope: u64) {
        self.scope = scope;
        self.stream.observer.fix_recorder::<E>();
    }

    /// Takes the stream back from a service.
    pub(crate) fn leave_service(&mut self) {
        self.scope = 0;
        self.stream.observer.meter.unfix();
    }

    /// The number of the last finished batch; 0 before the first one.
    pub(crate) fn last(&self) -> u64 {
        self.last
    }

    /// The number of the next batch.
    pub(crate) fn next(&self) -> u64 {
        self.last + 1 + self.n_begun() as u64
    }

    /// Number of batches that have begun and are not finished.
    pub(crate) fn n_begun(&self) -> usize {
        match &self.remote {
            None => usize::from(self.done.is_some()),
            Some(remote) => remote.n_begun(),
        }
    }

    /// Returns whether another batch may begin.
    pub(crate) fn may_begin(&self) -> bool {
        match &self.remote {
            None => self.done.is_none(),
            Some(remote) => remote.may_begin(),
        }
    }

    /// Continues after this batch, whose outcomes are unknown.
    pub(super) fn continue_after(&mut self, batch: u64) {
        self.last = batch;
        self.digests.clear();
        self.stream.go_to_batch(batch + 1);
        self.check_pending();
    }

    /// Positions of events that have failed and did not stop the stream, because they are skipped.
    pub(super) fn passed(&self) -> &[Position] {
        &self.passed
    }

    /// The position of the event that stopped the stream.
    pub(super) fn stopped(&self) -> Option<Position> {
        self.stopped
    }

    /// Fails if an earlier event has stopped the stream, or if too many follow-up events are pending.
    pub(crate) fn check_runs(&self) -> Result<(), DurableError> {
        self.check_stopped()?;
        self.limit.check()
    }

    /// Fails if an earlier event has stopped the stream, or if the journal cannot be written.
    fn check_stopped(&self) -> Result<(), DurableError> {
        if self.is_read_only {
            return Err(DurableError::ReadOnly);
        }
        match self.stopped {
            None => Ok(()),
            Some(position) => Err(DurableError::Stopped { position }),
        }
    }

    /// Begins a batch.
    pub(crate) fn batch_writer(&self) -> BatchWriter<E> {
        self.batch_writer_in(Vec::with_capacity(self.n_bytes))
    }

    /// Begins a batch whose body uses the memory of a buffer.
    pub(super) fn batch_writer_in(&self, buffer: Vec<u8>) -> BatchWriter<E> {
        BatchWriter::new(self.max_event_bytes, buffer)
    }

    /// Adds an event with an idempotency key to a batch, unless it is a repeat.
    ///
    /// # Errors
    ///
    /// Fails if the key is invalid, if it belongs to another event, if the stream is stopped, or as for
    /// [`BatchWriter::push`].
    pub(crate) fn push_keyed(
        &self,
        event: E,
        key: &str,
        writer: &mut BatchWriter<E>,
    ) -> Result<Pushed<E>, DurableError> {
        match self.find_repeat(&event, key, writer) {
            Ok(KeyState::Nothing { digest }) => {
                writer.add_keyed(event, key.into(), digest);
                Ok(Pushed::New)
            }
            Ok(KeyState::Result(position, result)) => Ok(Pushed::Repeat(Outcome {
                position,
                cause: None,
                handler: self.stream.handler_of(&event),
                event,
                result,
            })),
            Ok(KeyState::InBatch) => Ok(Pushed::Later(event)),
            Ok(KeyState::Unprocessed) => {
                drop_caught(event);
                Ok(Pushed::Unprocessed)
            }
            Err(error) => {
                // An event may panic when it is dropped.
                drop_caught(event);
                Err(error)
            }
        }
    }

    /// Looks up an idempotency key. If it is unknown, the event is encoded.
    fn find_repeat(
        &self,
        event: &E,
        key: &str,
        writer: &mut BatchWriter<E>,
    ) -> Result<KeyState<E>, DurableError> {
        let table = self.keys.as_ref().ok_or(DurableError::KeysUnused)?;
        if !(1..=MAX_KEY_BYTES).contains(&key.len()) {
            let n_bytes = key.len();
            return Err(DurableError::InvalidKey { n_bytes });
        }
        let mut begun = self.begun_keys.iter().flat_map(|batch| &batch.keys);
        if writer.has_key(key) || begun.any(|of| &*of.key == key) {
            return Ok(KeyState::InBatch);
        }
        if self.unprocessed.contains(key) {
            return Ok(KeyState::Unprocessed);
        }
        writer.encode(event)?;
        let digest = writer.digest();
        let found = table.find(key, digest);
        if !matches!(found, Ok(None)) {
            writer.discard();
        }
        if let Some((position, result)) = found? {
            return Ok(KeyState::Result(position, result));
        }
        self.check_runs().inspect_err(|_| writer.discard())?;
        Ok(KeyState::Nothing { digest })
    }

    /// Returns the record of the next batch, and the batch. The time of the record is that of the clock, or that of the batch before
    /// if the clock has gone back.
    pub(crate) fn record(
        &mut self,
        clock: &mut dyn FnMut() -> BatchTime,
        writer: BatchWriter<E>,
    ) -> Result<(JournalRecord, Batch<E>), DurableError> {
        let next = self.next();
        check_followed(next)?;
        let time = clock().max(self.stream.time());
        let (body, batch) = writer.finish(self.previous_digest(next), &[])?;
        self.n_bytes = body.len();
        let record = JournalRecord {
            batch: next,
            kind: EntryKind::BATCH,
            time: time.as_nanos(),
            body,
        };
        self.expect_new(&record);
        Ok((record, batch))
    }

    /// Returns the record of the next batch, which has no events, and skips these positions. They are already in
    /// [`Stream::skipped`]. It has the time of the last batch, and no digest: the outcomes of the last batch have changed,
    /// because events after those positions were processed.
    pub(super) fn skip_record(
        &mut self,
        skipped: &[Position],
    ) -> Result<(JournalRecord, Batch<E>), DurableError> {
        check_followed(self.last + 1)?;
        let (body, batch) = self.batch_writer().finish(None, skipped)?;
        let record = JournalRecord {
            batch: self.last + 1,
            kind: EntryKind::BATCH,
            time: self.stream.time().as_nanos(),
            body,
        };
        self.expect_new(&record);
        Ok((record, batch))
    }

    /// Runs the next batch: [`begin`](Self::begin) and [`finish`](Self::finish). No batch has begun.
    ///
    /// # Errors
    ///
    /// As for both.
    pub(crate) fn run(
        &mut self,
        time: BatchTime,
        batch: Batch<E>,
        outcomes: &mut Vec<Outcome<E>>,
    ) -> Result<(), DurableError> {
        self.begin(time, batch)?;
        self.finish(outcomes)
    }

    /// Begins the next batch. Runs it, unless batches run in other processes. A batch without events is only counted, and so are all
    /// batches of a stopped stream.
    ///
    /// # Errors
    ///
    /// Fails if a resource was removed, or if other processes cannot run the batch.
    pub(crate) fn begin(&mut self, time: BatchTime, batch: Batch<E>) -> Result<(), DurableError> {
        debug_assert!(self.may_begin(), "the caller has checked it");
        let Batch {
            events,
            keys,
            version,
            ..
        } = batch;
        let next = self.next();
        self.stream.set_time(time);
        self.begun_keys.push_back(BegunKeys { keys, version });
        if let Some(remote) = &mut self.remote {
            if let Some(marking) = &mut self.marking {
                marking.begin_elsewhere()?;
            }
            let (batches, limits) = self.stream.numbering();
            return remote.begin(batches, limits, next, time, events);
        }
        self.run_here(time, events)
    }

    /// Finishes the oldest batch that has begun. Adds its outcomes to `outcomes`, without those of events that did not run because
    /// the stream is stopped.
    ///
    /// # Errors
    ///
    /// Fails if other processes cannot run the batch. After [`DurableError::EndsProcess`], the event can become a dead letter, and the
    /// batch can be finished again.
    pub(crate) fn finish(&mut self, outcomes: &mut Vec<Outcome<E>>) -> Result<(), DurableError> {
        self.wait_elsewhere()?;
        let Some(BegunKeys { keys, version }) = self.begun_keys.pop_front() else {
            return Ok(());
        };
        let n_before = outcomes.len();
        let batch = self.last + 1;
        match &mut self.remote {
            None => {
                let done = self.done.take().unwrap_or_default();
                if done.is_empty() {
                    self.continue_after(batch);
                } else if outcomes.is_empty() {
                    *outcomes = done;
                } else {
                    outcomes.extend(done);
                }
            }
            Some(remote) => {
                let (batches, limits) = self.stream.numbering();
                let each = OutcomeDigests::new(batch, keys.len());
                let mut digest = Digest::new(self.has_outcome_digests.then_some(each));
                remote.finish(batches, limits, &mut |outcome| {
                    digest.add(&outcome);
                    outcomes.push(outcome);
                })?;
                self.add_digest(batch, digest);
                if let Some(marking) = &mut self.marking {
                    marking.end_elsewhere()?;
                }
            }
        }
        if let Some(table) = &mut self.keys {
            for of in &keys {
                match outcomes.get(n_before + of.index as usize) {
                    Some(outcome) => table.add(of, version, outcome),
                    // An event after the one that stopped the stream has no outcome.
                    None => drop(self.unprocessed.insert(Arc::clone(&of.key))),
                }
            }
        }
        self.last = batch;
        self.check_pending();
        Ok(())
    }

    /// Answers an event whose handler writes nothing, if batches run in other processes. All batches are finished.
    pub(crate) fn query_elsewhere(
        &mut self,
        event: &E,
    ) -> Option<Result<EventResult<E>, DurableError>> {
        let remote = self.remote.as_mut()?;
        Some(remote.query(self.stream.time(), event))
    }

    /// The other processes that run batches.
    pub(super) fn executor(&mut self) -> Option<&mut dyn BatchExecutor<E>> {
        Some(self.remote.as_mut()?.executor())
    }

    /// Saves the state after the last batch.
    ///
    /// # Errors
    ///
    /// Fails if a resource cannot be saved, or if the stream is stopped: to skip the failed event, recovery needs a snapshot
    /// before it.
    pub(crate) fn snapshot(&mut self) -> Result<Vec<u8>, DurableError> {
        debug_assert_eq!(self.n_begun(), 0, "the state is that after a batch");
        self.check_stopped()?;
        let saved_elsewhere = match &mut self.remote {
            None => None,
            Some(remote) => {
                let saved = remote.executor().save(self.last);
                Some(saved.map_err(DurableError::Executor)?)
            }
        };
        // The code that saves values is user code, and may panic.
        let saved = catch_unwind(AssertUnwindSafe(|| {
            let mut writer = SnapshotWriter::new();
            let pending = PendingRef {
                skipped: self.stream.skipped(),
                time: self.stream.time(),
                max_pending: self.max_pending(),
                pending: self.stream.pending(),
            };
            writer.section(&pending)?;
            if let Some(table) = self.keys.as_ref().filter(|table| !table.is_empty()) {
                writer.section(&table.section())?;
            }
            if !self.histories.is_empty() {
                writer.section(&self.histories)?;
            }
            match saved_elsewhere {
                Some(bytes) => drop(writer.section(&ElsewhereSection(bytes))?),
                None => {
                    for state in &self.states {
                        if let Methods::Saved { save, .. } = state.methods {
                            save(&self.resources, &mut writer)?;
                        }
                    }
                }
            }
            Ok(writer.finish())
        }));
        saved.unwrap_or_else(|panic| Err(DurableError::panicked(panic)))
    }
}

impl<E: DurableEvent> fmt::Debug for Engine<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("program", &self.head.program)
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
