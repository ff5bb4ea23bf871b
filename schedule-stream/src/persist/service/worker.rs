//! The thread that processes the events of a service.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

use async_channel::{Receiver, TryRecvError};

use super::Ended;
use super::comparing::{CompareSetting, Comparing};
use super::error::ServiceError;
use super::message::{Message, Saved};
use super::own_threads::OwnThreads;
use super::reports::ServiceReports;
use super::request::{QueryAnswer, Reply, ServiceRequest};
use super::retries::SnapshotRetries;
use super::settings::{OutcomeListener, ServiceSettings};
use super::writer::Writer;
use super::{snapshots, spawn};
use crate::base::position::BatchTime;
use crate::engine::batches::{BatchInput, MAX_OUTSIDE};
use crate::engine::ends::{CallEnds, OutcomeCallback};
use crate::engine::stream::{CallSettings, Stream};
use crate::persist::durable::batch::BatchWriter;
use crate::persist::durable::digested_journal::DigestedJournal;
use crate::persist::durable::engine::{Engine, Pushed};
use crate::persist::durable::keys::EventResult;
use crate::persist::durable::stream::StreamParts;
use crate::persist::durable::{DeadLetter, DurableError, DurableEvent};
use crate::persist::journal::{JournalRecord, Snapshots};
use crate::program::outcome::Outcome;
use schedule::internal::{Instant, drop_caught};

/// Maximum number of messages to the writer. With more, the worker waits: a slow disk causes back-pressure.
const MAX_MESSAGES: usize = 16;

pub(super) struct Worker<E: DurableEvent> {
    parts: StreamParts<E>,
    settings: ServiceSettings<E>,
    requests: Receiver<ServiceRequest<E>>,
    own_threads: OwnThreads,
    reports: ServiceReports,
}

impl<E: DurableEvent> Worker<E> {
    pub(super) fn new(
        parts: StreamParts<E>,
        settings: ServiceSettings<E>,
        requests: Receiver<ServiceRequest<E>>,
        own_threads: OwnThreads,
        reports: ServiceReports,
    ) -> Self {
        Self {
            parts,
            settings,
            requests,
            own_threads,
            reports,
        }
    }

    /// Serves requests until the service is closed and no request waits.
    pub(super) fn run(self) -> Ended<E> {
        let Self {
            parts,
            settings,
            requests,
            own_threads,
            mut reports,
        } = self;
        let _here = own_threads.enter();
        let closes = Requests(requests.clone());
        let storage = (parts.journal, parts.snapshots);
        let (permit, permits) = channel();
        let threads = Threads::start(
            storage,
            (settings.outcomes, settings.compare),
            closes,
            own_threads,
            permit,
            &reports,
        );
        let mut serving = Serving {
            engine: parts.engine,
            queries: Stream::new(),
            query_settings: CallSettings {
                channel: own_threads.id(),
                ..CallSettings::BATCH
            },
            clock: parts.clock,
            requests: Requests(requests),
            writer: threads.messages.clone(),
            n_since_snapshot: parts.recovery.n_replayed,
            permits,
            may_save: true,
            retries: SnapshotRetries::new(settings.snapshot_every),
            reports: reports.clone(),
            begun: VecDeque::new(),
            digests: Vec::new(),
        };
        serving.queries.observer = serving.engine.stream.observer.for_queries();
        serving.queries.set_limits(serving.engine.stream.limits());
        serving.queries.pool.clone_from(&serving.engine.stream.pool);
        let served = serving.serve();
        let Serving {
            mut engine,
            clock,
            requests,
            digests,
            ..
        } = serving;
        drop(requests);
        let ended = threads.end();
        reports.meter.note_none_in_flight();
        engine.leave_service();
        let (mut journal, snapshots) = ended?;
        journal.keep(digests);
        served?;
        Ok(StreamParts {
            engine,
            journal,
            snapshots,
            recovery: parts.recovery,
            clock,
        })
    }
}

/// The journal and the snapshots of a stream.
type Storage = (DigestedJournal, Box<dyn Snapshots>);

/// The threads that write. If it is dropped, both end.
struct Threads<E: DurableEvent> {
    messages: SyncSender<Message<E>>,
    writer: Option<JoinHandle<Result<DigestedJournal, DurableError>>>,
    snapshots: Option<JoinHandle<Box<dyn Snapshots>>>,
}

impl<E: DurableEvent> Drop for Threads<E> {
    fn drop(&mut self) {
        // If the writer has ended, so does the other thread.
        drop(self.messages.send(Message::End));
        if let Some(writer) = self.writer.take() {
            drop(writer.join());
        }
        if let Some(snapshots) = self.snapshots.take() {
            drop(snapshots.join());
        }
    }
}

impl<E: DurableEvent> Threads<E> {
    fn start(
        (journal, snapshots): Storage,
        (outcomes, compare): (Option<OutcomeListener<E>>, Option<CompareSetting>),
        requests: Requests<E>,
        own_threads: OwnThreads,
        permit: Sender<SnapshotRetries>,
        reports: &ServiceReports,
    ) -> Self {
        let (messages, received) = sync_channel(MAX_MESSAGES);
        let (to_snapshots, saved) = channel();
        let writer = Writer::new(journal, received, to_snapshots, outcomes, reports.clone());
        let truncates = messages.clone();
        let reports = reports.clone();
        let start = |setting| Comparing::start(setting, own_threads, reports.clone());
        let comparing = compare.map(start);
        Self {
            messages,
            writer: Some(spawn("schedule-journal", move || {
                // If the writer ends early, also by a panic, further requests fail.
                let _requests = requests;
                let _here = own_threads.enter();
                writer.run()
            })),
            snapshots: Some(spawn("schedule-snapshots", move || {
                let _here = own_threads.enter();
                snapshots::run(snapshots, &saved, &truncates, &permit, reports, comparing)
            })),
        }
    }

    /// Waits until both threads have written everything.
    fn end(mut self) -> Result<Storage, Arc<DurableError>> {
        // If the writer has ended, it returns its error below.
        drop(self.messages.send(Message::End));
        let journal = self.writer.take().map(join);
        let snapshots = self.snapshots.take().map(join);
        let (Some(journal), Some(snapshots)) = (journal, snapshots) else {
            unreachable!("both threads were started");
        };
        Ok((journal.map_err(Arc::new)?, snapshots))
    }
}

/// Returns the result of a thread, or continues its panic.
fn join<T>(thread: JoinHandle<T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// The queue of requests. If it is dropped, the service is closed, and the clients of requests that wait get an error.
struct Requests<E: DurableEvent>(Receiver<ServiceRequest<E>>);

impl<E: DurableEvent> Drop for Requests<E> {
    fn drop(&mut self) {
        self.0.close();
        while let Ok(request) = self.0.try_recv() {
            // An event may panic when it is dropped.
            drop_caught(request);
        }
    }
}

struct Serving<E: DurableEvent> {
    engine: Engine<E>,
    /// Answers queries. It writes nothing, so the state does not depend on it.
    queries: Stream<E>,
    query_settings: CallSettings,
    clock: Box<dyn FnMut() -> BatchTime + Send>,
    requests: Requests<E>,
    writer: SyncSender<Message<E>>,
    /// Number of batches since the last snapshot.
    n_since_snapshot: u64,
    /// The wait for the next snapshot, after each attempt to write one.
    permits: mpsc::Receiver<SnapshotRetries>,
    /// Whether no snapshot is in flight. There is one at a time, because each is a copy of the state.
    may_save: bool,
    /// The wait since the last snapshot. Known when `may_save`.
    retries: SnapshotRetries,
    reports: ServiceReports,
    /// The clients of the batches that have begun and are not finished, the oldest first.
    begun: VecDeque<Vec<Reply<Outcome<E>>>>,
    /// The digests of the outcomes of finished batches, which come before the next record.
    digests: Vec<JournalRecord>,
}

impl<E: DurableEvent> Serving<E> {
    /// Serves requests. Fails if the writer has ended.
    fn serve(&mut self) -> Result<(), Arc<DurableError>> {
        loop {
            let may_follow = self.engine.stream.n_pending() > 0 && self.engine.check_runs().is_ok();
            let request = if may_follow || !self.begun.is_empty() {
                match self.requests.0.try_recv() {
                    Ok(request) => Some(request),
                    Err(TryRecvError::Closed) => None,
                    Err(TryRecvError::Empty) => {
                        if self.begun.is_empty() {
                            self.run_follow_ups()?
                        } else {
                            self.finish()?
                        }
                        continue;
                    }
                }
            } else {
                self.requests.0.recv_blocking().ok()
            };
            let Some(request) = request else {
                return self.finish_all();
            };
            let mut next = Some(request);
            while let Some(request) = next.take() {
                match request {
                    ServiceRequest::Event(..) => next = self.run_events(request)?,
                    other => self.control(other)?,
                }
            }
        }
    }

    /// Processes a batch of all events that wait. Returns the request that comes after them, if there is one.
    fn run_events(
        &mut self,
        first: ServiceRequest<E>,
    ) -> Result<Option<ServiceRequest<E>>, Arc<DurableError>> {
        self.make_room()?;
        let (mut replies, mut submitted) = (Vec::new(), Vec::new());
        let mut writer = self.engine.batch_writer();
        let mut next = Some(first);
        // Repeats and refused events count, too, so that the events in the batch do not wait for many of them.
        let mut n_requests = 0;
        while let Some(ServiceRequest::Event(event, key, reply)) = next {
            n_requests += 1;
            let pushed = match &key {
                None => match self.engine.check_runs() {
                    Ok(()) => writer.push(event).map(|()| Pushed::New),
                    Err(error) => {
                        // An event may panic when it is dropped.
                        drop_caught(event);
                        Err(error)
                    }
                },
                Some(key) => self.engine.push_keyed(event, key, &mut writer),
            };
            match pushed {
                Ok(Pushed::New) => {
                    submitted.extend(reply.submitted);
                    replies.push(reply.reply);
                }
                Ok(Pushed::Repeat(outcome)) => {
                    self.answer(move || drop_caught(reply.reply.send(Ok(outcome))))?;
                }
                Ok(Pushed::Later(event)) => {
                    next = Some(ServiceRequest::Event(event, key, reply));
                    if writer.is_empty() {
                        // The event with this key is in a batch that has begun.
                        self.finish_all()?;
                        continue;
                    }
                    break;
                }
                Ok(Pushed::Unprocessed) => drop(reply.reply.send(Err(ServiceError::Unknown))),
                Err(error) => {
                    self.reports.meter.note_rejected();
                    let refused = ServiceError::of_event(error);
                    // The reason may depend on a batch that is not synced.
                    self.answer(move || drop(reply.reply.send(Err(refused))))?;
                }
            }
            next = if writer.is_full() || n_requests >= MAX_OUTSIDE {
                None
            } else {
                self.requests.0.try_recv().ok()
            };
        }
        if !replies.is_empty() {
            let n_waiting = self.requests.0.len();
            self.reports.meter.begin_batch(n_waiting, &submitted);
            self.begin_batch(writer, replies)?;
        }
        Ok(next)
    }

    /// Processes batches of follow-up events, while more of them wait than fit into a batch. Clients wait meanwhile.
    fn make_room(&mut self) -> Result<(), Arc<DurableError>> {
        loop {
            match self.engine.input_of_next() {
                // A stopped stream refuses the events.
                BatchInput::Some | BatchInput::Backlog => return Ok(()),
                BatchInput::Unknown => self.finish()?,
                BatchInput::None => self.run_follow_ups()?,
            }
        }
    }

    fn run_follow_ups(&mut self) -> Result<(), Arc<DurableError>> {
        self.begin_batch(self.engine.batch_writer(), Vec::new())
    }

    /// Processes a batch, and sends its record and its outcomes to the writer.
    fn begin_batch(
        &mut self,
        writer: BatchWriter<E>,
        replies: Vec<Reply<Outcome<E>>>,
    ) -> Result<(), Arc<DurableError>> {
        let (record, batch) = self.engine.record(&mut *self.clock, writer)?;
        let time = BatchTime::from_nanos(record.time);
        let digests = core::mem::take(&mut self.digests);
        self.send(Message::Record(digests, record))?;
        self.engine.begin(time, batch)?;
        self.begun.push_back(replies);
        while !self.engine.may_begin() {
            self.finish()?;
        }
        Ok(())
    }

    /// Finishes all batches that have begun.
    fn finish_all(&mut self) -> Result<(), Arc<DurableError>> {
        while !self.begun.is_empty() {
            self.finish()?;
        }
        Ok(())
    }

    /// Finishes the oldest batch that has begun, and sends its outcomes to the writer.
    fn finish(&mut self) -> Result<(), Arc<DurableError>> {
        let Some(replies) = self.begun.pop_front() else {
            return Ok(());
        };
        let mut outcomes = Vec::new();
        while let Err(error) = self.engine.finish(&mut outcomes) {
            match error {
                DurableError::EndsProcess {
                    letter,
                    may_be_released: false,
                } => self.decide_dead_letter(letter)?,
                error => return Err(error.into()),
            }
        }
        self.digests.extend(self.engine.take_digest_entry());
        self.reports.meter.note_in_flight(outcomes.len());
        // Events of the input come first in a batch. With the stop policy, the last ones have no outcome.
        let replies = replies
            .into_iter()
            .map(Some)
            .chain(core::iter::repeat_with(|| None));
        let outcomes = outcomes.into_iter().zip(replies).collect();
        self.send(Message::Outcomes(outcomes))?;
        self.n_since_snapshot += 1;
        if let Ok(retries) = self.permits.try_recv() {
            (self.may_save, self.retries) = (true, retries);
        }
        if self.needs_snapshot() {
            self.finish_all()?;
            // The end of another batch may have taken it.
            if self.needs_snapshot() {
                self.snapshot(None)?;
            }
        }
        Ok(())
    }

    /// Makes an event of the oldest batch that has begun a dead letter, after its entry is synced.
    fn decide_dead_letter(&mut self, letter: DeadLetter) -> Result<(), Arc<DurableError>> {
        let next = self.engine.next();
        let record = self.engine.admit_dead_letter(next, &letter)?;
        self.send(Message::Record(Vec::new(), record))?;
        let (done, synced) = channel();
        self.answer(move || {
            let _sent = done.send(());
        })?;
        let synced = synced.recv();
        synced.map_err(|_| Arc::new(DurableError::Closed))?;
        Ok(self.engine.accept_dead_letter(next, letter)?)
    }

    /// Returns whether the service takes a snapshot by itself now.
    fn needs_snapshot(&self) -> bool {
        self.may_save
            && self.engine.check_runs().is_ok()
            && self
                .retries
                .wait()
                .is_some_and(|n| self.n_since_snapshot >= n)
    }

    fn control(&mut self, request: ServiceRequest<E>) -> Result<(), Arc<DurableError>> {
        self.finish_all()?;
        match request {
            ServiceRequest::Event(..) => unreachable!("events are in a batch"),
            ServiceRequest::Query(event, reply) => self.query(event, reply),
            ServiceRequest::Drain(max_batches, reply) => {
                let mut n = 0;
                while n < max_batches
                    && self.engine.stream.n_pending() > 0
                    && self.engine.check_runs().is_ok()
                    && !self.requests.0.is_closed()
                {
                    self.run_follow_ups()?;
                    self.finish_all()?;
                    n += 1;
                }
                let n_pending = self.engine.stream.n_pending();
                self.answer(move || drop(reply.send(Ok(n_pending))))
            }
            ServiceRequest::Snapshot(reply) => self.snapshot(Some(reply)),
            ServiceRequest::Pause(reply, paused) => {
                self.answer(move || drop(reply.send(Ok(()))))?;
                // Ends when the other side is dropped.
                let _: Result<(), oneshot::RecvError> = paused.recv();
                Ok(())
            }
        }
    }

    fn query(&mut self, event: E, reply: Reply<QueryAnswer<E>>) -> Result<(), Arc<DurableError>> {
        if !self.queries.is_query(&event) {
            drop_caught(event);
            drop(reply.send(Err(ServiceError::NotAQuery)));
            return Ok(());
        }
        if let Some(answered) = self.engine.query_elsewhere(&event) {
            drop_caught(event);
            return self.answer_query(answered?, reply);
        }
        let mut result = None;
        let mut ends = CallEnds {
            input: core::iter::once(event).fuse(),
            reporter: OutcomeCallback(|outcome: Outcome<E>| {
                drop_caught(outcome.event);
                result = Some(outcome.result);
            }),
        };
        let (time, settings) = (self.engine.stream.time(), self.query_settings);
        let resources = &self.engine.resources;
        let processed = self
            .queries
            .run_call_at(time, resources, &mut ends, settings);
        ends.close(processed).map_err(DurableError::from)?;
        self.answer_query(result.expect("an event has an outcome"), reply)
    }

    fn answer_query(
        &mut self,
        result: EventResult<E>,
        reply: Reply<QueryAnswer<E>>,
    ) -> Result<(), Arc<DurableError>> {
        self.reports.meter.note_query();
        let answer = QueryAnswer {
            batch: self.engine.last(),
            result,
        };
        self.answer(move || drop_caught(reply.send(Ok(answer))))
    }

    /// Saves the state, and sends it to the writer. Waits until the previous snapshot is written.
    fn snapshot(&mut self, reply: Option<Reply<u64>>) -> Result<(), Arc<DurableError>> {
        if !self.may_save {
            let permit = self.permits.recv();
            self.retries = permit.map_err(|_| Arc::new(DurableError::Closed))?;
            self.may_save = true;
        }
        self.n_since_snapshot = 0;
        let start = Instant::now();
        match self.engine.snapshot() {
            Ok(bytes) => {
                self.reports.meter.note_saved(start, bytes.len());
                self.may_save = false;
                self.send(Message::Snapshot(Saved {
                    batch: self.engine.last(),
                    bytes,
                    reply,
                    retries: self.retries,
                }))
            }
            Err(error) => {
                let batch = self.engine.last();
                let after = self.retries.after(false, reply.is_some());
                self.reports
                    .snapshot_failed(batch, &error, (self.retries, after));
                self.retries = after;
                if let Some(reply) = reply {
                    drop(reply.send(Err(ServiceError::Refused(Arc::new(error)))));
                }
                Ok(())
            }
        }
    }

    /// Sends an answer after all earlier batches are synced.
    fn answer(&self, answer: impl FnOnce() + Send + 'static) -> Result<(), Arc<DurableError>> {
        self.send(Message::Answer(Box::new(answer)))
    }

    fn send(&self, message: Message<E>) -> Result<(), Arc<DurableError>> {
        let sent = self.writer.send(message);
        sent.map_err(|_| Arc::new(DurableError::Closed))
    }
}
