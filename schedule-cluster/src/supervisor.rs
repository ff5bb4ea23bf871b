//! The supervisor: it gives batches to the worker processes, and starts them again if one has failed.

mod one_by_one;
mod saves;
mod sent;
mod status;
mod watch;

use core::fmt;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use schedule::internal::NameChanges;
use schedule::snapshot::{Decoder, Encoder};
use schedule::{BoxError, Resources};
use schedule_stream::internal::{
    AddedEvent, EventEnd, EventResult, EventRunner, SentEvent, read_end,
};
use schedule_stream::journal::JournalHead;
use schedule_stream::{BatchTime, EventLimits};

pub(crate) use self::one_by_one::DeadlyEvent;
use self::one_by_one::OneByOne;
use self::sent::SentBatch;
pub(crate) use self::status::Status;
use crate::cost::{HandlerCost, ValueExchange};
use crate::error::StartError;
use crate::keys::{KeyLocator, Keys, Route};
use crate::manifest::{FilesInUse, Manifest};
use crate::parts::restore_chunk;
use crate::processes::{Children, ProcessSettings, Processes};
use crate::shard::refused_end;
use crate::wire::{EventsHead, Frame, FromWorker, Program, ToWorker, frame};

/// Number of generations after which a batch is given up, if each ended before the batch was finished.
const MAX_ATTEMPTS: u32 = 5;

/// Number of failed generations after which the events of batches that are not finished run one by one. One failure is usually that
/// of a machine.
const ONE_BY_ONE_AFTER: u32 = 2;

/// The pause before the second restart of the workers in one operation. It doubles with each further restart. The first restart has
/// none: usually one process has failed, and nothing else.
const FIRST_PAUSE: Duration = Duration::from_millis(40);

/// The index of a query in its batch: no event has this index.
const QUERY_INDEX: u32 = 1 << 31;

/// The ends of events of a batch, each with its index, in any order.
pub(crate) type BatchEnds<E> = Vec<(u32, EventEnd<E>)>;

/// See the module.
pub(crate) struct Supervisor<E: SentEvent> {
    settings: ProcessSettings,
    program: Program,
    locator: KeyLocator,
    /// The names that have changed since values were saved.
    changes: NameChanges,
    /// Names keys only. It has no records.
    runner: EventRunner<E>,
    processes: Option<Processes>,
    children: Children,
    pub(crate) status: Arc<Mutex<Status>>,
    /// The last state that all workers have saved.
    manifest: Manifest,
    /// The last two states that were returned for a snapshot, the older one first. The newest one may not be written.
    published: VecDeque<Manifest>,
    /// The batch of the state from which this generation was restored. Its workers know what has changed since then.
    restored: u64,
    /// Number of saves of this generation.
    n_saves: u64,
    /// Number of bytes in `sent` above which the workers save their state.
    save_above: usize,
    files: FilesInUse,
    /// The batches after it, the oldest first.
    sent: VecDeque<SentBatch>,
    n_sent_bytes: usize,
    max_sent_bytes: usize,
    /// The ends of events of batches that are not finished, by batch.
    ends: VecDeque<(u64, BatchEnds<E>)>,
    /// The last finished batch.
    last: u64,
    /// When events were sent, or one has ended.
    last_progress: Instant,
    /// Number of generations that have failed between two operations since a batch was finished.
    n_failed_watches: u32,
    /// Why no operation is possible any more: the states of two processes or generations differ.
    diverged: Option<String>,
    one_by_one: OneByOne,
    exchange: ValueExchange,
    costs: Vec<HandlerCost>,
    keys: Keys,
    event: Encoder,
}

/// Why an operation is given up.
pub(crate) type Failed = BoxError;

impl<E: SentEvent> Supervisor<E> {
    pub(crate) fn new(
        settings: ProcessSettings,
        (locator, changes): (KeyLocator, NameChanges),
        exchange: ValueExchange,
        max_sent_bytes: usize,
        files: FilesInUse,
    ) -> Self {
        Self {
            settings,
            program: Program::default(),
            locator,
            changes,
            runner: EventRunner::new(Resources::new(), EventLimits::new()),
            processes: None,
            children: Children::default(),
            status: Arc::default(),
            manifest: Manifest::default(),
            published: VecDeque::new(),
            restored: 0,
            n_saves: 0,
            save_above: max_sent_bytes,
            files,
            sent: VecDeque::new(),
            n_sent_bytes: 0,
            max_sent_bytes,
            ends: VecDeque::new(),
            last: 0,
            last_progress: Instant::now(),
            n_failed_watches: 0,
            diverged: None,
            one_by_one: OneByOne::default(),
            exchange,
            costs: vec![HandlerCost::default(); E::HANDLERS.len()],
            keys: Keys::default(),
            event: Encoder::new(),
        }
    }

    pub(crate) fn set_program(&mut self, program: &JournalHead, limits: EventLimits) {
        self.program = Program::of(program);
        self.runner = EventRunner::new(Resources::new(), limits);
    }

    /// Starts the workers with a saved state, or with that before the first batch.
    pub(crate) fn restore(&mut self, saved: Option<&[u8]>) -> Result<(), BoxError> {
        self.manifest = match saved {
            None => Manifest::new(self.locator.stores()),
            Some(bytes) => Manifest::of_bytes(bytes)?,
        };
        self.manifest
            .check_stores(self.locator.stores(), &self.changes)?;
        // The snapshot before this one is not known, so the next one has all buckets.
        self.published.clear();
        if self.manifest.is_complete() {
            let restored = self.manifest.clone();
            self.files.note_written(restored.batch);
            self.published.push_back(restored);
        }
        self.note_files();
        self.sent.clear();
        self.ends.clear();
        self.n_sent_bytes = 0;
        self.last = self.manifest.batch;
        self.one_by_one = OneByOne::default();
        Ok(self.start(false)?)
    }

    /// Returns whether the workers should save their state because the kept batches are too large.
    pub(crate) fn wants_save(&self) -> bool {
        self.n_sent_bytes > self.save_above
    }

    /// Starts the next generation from the manifest, and sends all batches after it again. `holds`: not those that are not finished.
    fn start(&mut self, holds: bool) -> Result<(), StartError> {
        self.processes = None;
        self.restored = self.manifest.batch;
        self.n_saves = 0;
        {
            let mut status = self.status();
            status.ids.clear();
            status.n_generations += 1;
        }
        self.sent.iter_mut().for_each(|sent| sent.send_again(holds));
        self.ends.iter_mut().for_each(|(_, ends)| ends.clear());
        let n = self.settings.n;
        let (manifest, is_first) = (&self.manifest, !self.manifest.is_complete());
        let (stores, changes) = (self.locator.stores(), &self.changes);
        let saved = |worker| (!is_first).then(|| manifest.of_worker(worker, n, stores, changes));
        let mut processes = Processes::start(
            &mut self.settings,
            &mut self.children,
            &self.program,
            manifest.batch,
            &saved,
        )?;
        for sent in self.sent.iter().filter(|sent| !sent.is_held) {
            for (worker, frames) in (0..).zip(&sent.frames) {
                let sent = processes.send(worker, frames);
                sent.map_err(|error| StartError::Worker {
                    index: worker,
                    error: error.into(),
                })?;
            }
        }
        self.status().ids = self.children.ids();
        self.processes = Some(processes);
        self.note_progress();
        Ok(())
    }

    fn status(&self) -> MutexGuard<'_, Status> {
        self.status.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note_failure(&self, error: &dyn fmt::Display) {
        let mut status = self.status();
        // After a save that has failed, the generation continues.
        if self.processes.is_none() {
            status.ids.clear();
        }
        status.add_failure(error.to_string());
    }

    fn refuse_if_diverged(&self) -> Result<(), Failed> {
        match &self.diverged {
            Some(difference) => Err(difference.clone().into()),
            None => Ok(()),
        }
    }

    /// Calls `operate` with the processes until it succeeds. After each failure, starts the next generation.
    fn retry<T>(
        &mut self,
        mut operate: impl FnMut(&mut Self, &mut Processes) -> Result<T, Attempt>,
    ) -> Result<T, Failed> {
        let mut n_attempts = 0;
        loop {
            self.refuse_if_diverged()?;
            let attempt: Result<T, Option<BoxError>> = match self.processes.take() {
                None => Err(None),
                Some(mut processes) => match operate(self, &mut processes) {
                    Ok(done) => {
                        self.processes = Some(processes);
                        return Ok(done);
                    }
                    Err(Attempt::GiveUp(error)) => {
                        self.processes = Some(processes);
                        return Err(error);
                    }
                    Err(Attempt::Diverged(difference)) => {
                        self.processes = Some(processes);
                        self.diverged = Some(difference);
                        continue;
                    }
                    Err(Attempt::Failed(error)) => Err(Some(error)),
                },
            };
            let Err(error) = attempt else { continue };
            if let Some(error) = error {
                let deadly = self.note_death(&error);
                if let Some(deadly) = deadly {
                    if let Err(error) = self.children.end() {
                        self.note_failure(&error);
                    }
                    return Err(Box::new(deadly));
                }
            }
            n_attempts += 1;
            if n_attempts >= MAX_ATTEMPTS {
                if let Err(error) = self.children.end() {
                    self.note_failure(&error);
                }
                let last = self.status().failures.back().cloned().unwrap_or_default();
                let text = format!(
                    "{MAX_ATTEMPTS} generations of workers have failed, the last because {last}"
                );
                return Err(text.into());
            }
            if let Some(n_doubled) = n_attempts.checked_sub(2) {
                // A network or a file system may need some time.
                thread::sleep(FIRST_PAUSE * (1 << n_doubled));
            }
            if let Err(error) = self.start(n_attempts >= ONE_BY_ONE_AFTER) {
                self.note_failure(&error);
            }
        }
    }

    pub(crate) fn add_events(
        &mut self,
        batch: u64,
        time: BatchTime,
        events: &mut dyn Iterator<Item = AddedEvent<'_, E>>,
        is_last: bool,
    ) -> Result<(), Failed> {
        let n = self.settings.n;
        let mut head = EventsHead {
            batch,
            time: time.as_nanos(),
            is_last,
            ships: self.exchange.ships(&self.costs),
            n: 0,
        };
        let mut contents = vec![(0_u32, Vec::new()); n as usize];
        if self.sent.back().is_none_or(|last| last.batch != batch) {
            self.ends.push_back((batch, Vec::new()));
            self.sent.push_back(SentBatch::new(batch, n));
        }
        let sent = self.sent.back_mut().expect("the batch was added above");
        for added in events {
            let (index, event) = (added.index, added.event);
            // Without keys, one worker gets the event, and refuses it for the same reason.
            let _refused = self.locator.locate(&mut self.runner, event, &mut self.keys);
            let case = self.runner.case(event);
            let route = Route::new(&self.keys, index, n, head.ships(case));
            self.event.clear();
            self.event.write(&(index, added.max_follow_ups))?;
            self.event.save(event)?;
            for (worker, (n_of_worker, content)) in (0..).zip(&mut contents) {
                if route.participants >> worker & 1 != 0 {
                    *n_of_worker += 1;
                    content.extend_from_slice(self.event.as_bytes());
                }
            }
            sent.add(index, case, route.executors.count_ones());
        }
        sent.is_complete = is_last;
        let mut failed = None;
        for (worker, (n_of_worker, content)) in (0..).zip(contents) {
            head.n = n_of_worker;
            if n_of_worker == 0 && !is_last {
                continue;
            }
            let mut frame = Frame::new(&ToWorker::Events(head))?;
            frame.append(&content);
            let bytes = frame.finish()?;
            self.n_sent_bytes += bytes.len();
            sent.frames[worker as usize].extend_from_slice(&bytes);
            if let (Some(processes), None) = (&mut self.processes, &failed) {
                failed = processes.send(worker, &bytes).err();
            }
        }
        self.note_progress();
        if let Some(error) = failed {
            // `finish` starts the next generation.
            self.processes = None;
            self.note_failure(&error);
        }
        Ok(())
    }

    /// Takes a message with ends of events.
    fn take_ends(&mut self, bytes: &[u8]) -> Result<(), Attempt> {
        let mut decoder = Decoder::new(bytes);
        let (n, costs, checks) = match decoder.read().map_err(Attempt::failed)? {
            FromWorker::Ends { n, costs, checks } => (n, costs, checks),
            other => return Err(Attempt::unexpected(other)),
        };
        for (of, new) in self.costs.iter_mut().zip(costs) {
            if new.nanos > 0.0 {
                *of = new;
            }
        }
        let first = self.sent.front().map_or(0, |sent| sent.batch);
        for check in &checks {
            let sent = usize::try_from(check.batch.wrapping_sub(first)).ok();
            let sent = sent
                .and_then(|nth| self.sent.get_mut(nth))
                .ok_or(UNKNOWN_BATCH)
                .map_err(Attempt::failed)?;
            sent.check(check).map_err(Attempt::failed)?;
            judge(sent)?;
        }
        for _ in 0..n {
            let start = decoder.n_left();
            let (batch, index): (u64, u32) = decoder.read().map_err(Attempt::failed)?;
            let sent = usize::try_from(batch.wrapping_sub(first)).ok();
            let sent = sent
                .and_then(|nth| self.sent.get_mut(nth))
                .ok_or(UNKNOWN_BATCH)
                .map_err(Attempt::failed)?;
            let case = sent.case_of(index).map_err(Attempt::failed)?;
            let end = read_end::<E>(case, &mut decoder).map_err(Attempt::failed)?;
            let at = bytes.len() - start..bytes.len() - decoder.n_left();
            sent.end(index, &bytes[at]);
            judge(sent)?;
            if sent.finished.is_none()
                && let Some((_, ends)) = self.ends.iter_mut().find(|of| of.0 == batch)
            {
                ends.push((index, end));
            }
        }
        self.note_progress();
        Ok(())
    }

    /// Waits until a batch has ended in this generation, with all before it. Runs those that are held.
    fn wait_for(&mut self, processes: &mut Processes, batch: u64) -> Result<(), Attempt> {
        self.run_held(processes, batch)?;
        self.wait_until_ended(processes, batch)
    }

    fn wait_until_ended(&mut self, processes: &mut Processes, batch: u64) -> Result<(), Attempt> {
        loop {
            let mut all = self.sent.iter().take_while(|sent| sent.batch <= batch);
            if all.all(SentBatch::has_ended) {
                return Ok(());
            }
            let end = Instant::now() + self.settings.progress_limit;
            let (_, bytes) = processes.receive(end).map_err(Attempt::failed)?;
            self.take_ends(&bytes)?;
        }
    }

    pub(crate) fn finish_batch(&mut self) -> Result<BatchEnds<E>, Failed> {
        let batch = self.last + 1;
        self.retry(|this, processes| this.wait_for(processes, batch))?;
        let sent = self
            .sent
            .iter_mut()
            .find(|sent| sent.batch == batch)
            .ok_or("the batch has not begun")?;
        sent.finish();
        self.release_held();
        self.last = batch;
        self.n_failed_watches = 0;
        let ends = self
            .ends
            .pop_front()
            .map_or_else(Vec::new, |(_, ends)| ends);
        if self.ends.is_empty() && self.n_sent_bytes > self.save_above {
            let base = Some(self.manifest.clone());
            if let Err(error) = self.save_state(batch, base) {
                if self.diverged.is_some() {
                    return Err(error);
                }
                // The batches are kept for longer.
                self.note_failure(&error);
                self.save_above = self.n_sent_bytes + self.max_sent_bytes;
            }
        }
        Ok(ends)
    }

    /// Runs an event that writes nothing.
    pub(crate) fn run_query(
        &mut self,
        time: BatchTime,
        event: &E,
    ) -> Result<EventResult<E>, Failed> {
        let batch = self.last + 1;
        let n = self.settings.n;
        if let Err(error) = self.locator.locate(&mut self.runner, event, &mut self.keys) {
            return Ok(refused_end::<E>(&error).result);
        }
        let case = self.runner.case(event);
        let route = Route::new(&self.keys, QUERY_INDEX, n, false);
        self.event.clear();
        self.event.write(&(QUERY_INDEX, 0_u32))?;
        self.event.save(event)?;
        let head = EventsHead {
            batch,
            time: time.as_nanos(),
            is_last: false,
            ships: 0,
            n: 1,
        };
        let mut question = Frame::new(&ToWorker::Events(head))?;
        question.append(self.event.as_bytes());
        let question = question.finish()?;
        self.retry(|this, processes| {
            this.wait_for(processes, batch - 1)?;
            for worker in (0..n).filter(|worker| route.participants >> worker & 1 != 0) {
                processes.send(worker, &question).map_err(Attempt::failed)?;
            }
            let end = Instant::now() + this.settings.progress_limit;
            let (_, bytes) = processes.receive(end).map_err(Attempt::failed)?;
            let mut decoder = Decoder::new(&bytes);
            match decoder.read().map_err(Attempt::failed)? {
                FromWorker::Ends { .. } => {}
                other => return Err(Attempt::unexpected(other)),
            }
            let _place: (u64, u32) = decoder.read().map_err(Attempt::failed)?;
            let end = read_end::<E>(case, &mut decoder).map_err(Attempt::failed)?;
            Ok(end.result)
        })
    }

    /// Puts the records and resources of all workers into `resources`.
    pub(crate) fn collect(&mut self, resources: &mut Resources) -> Result<(), Failed> {
        self.refuse_if_diverged()?;
        if self.sent.iter().any(|sent| sent.finished.is_none()) {
            return Err(
                "batches are in flight: pause the service, or wait until it has ended".into(),
            );
        }
        let last = self.last;
        self.retry(|this, processes| {
            let stores = this.locator.stores().to_vec();
            for store in &stores {
                (store.keep)(resources, &|_| false).map_err(Attempt::give_up)?;
            }
            this.wait_for(processes, last)?;
            let collect = frame(&ToWorker::Collect).map_err(Attempt::failed)?;
            for worker in 0..this.settings.n {
                processes.send(worker, &collect).map_err(Attempt::failed)?;
            }
            let mut n_done = 0;
            while n_done < this.settings.n {
                let end = Instant::now() + this.settings.progress_limit;
                let (_, bytes) = processes.receive(end).map_err(Attempt::failed)?;
                let mut decoder = Decoder::new(&bytes);
                match decoder.read().map_err(Attempt::failed)? {
                    FromWorker::Chunk => {
                        let chunk = &bytes[bytes.len() - decoder.n_left()..];
                        // After an error, other chunks are in flight. So only the next generation can be asked again.
                        let changes = NameChanges::default();
                        restore_chunk(&stores, resources, &changes, &|_| true, chunk)
                            .map_err(Attempt::failed)?;
                    }
                    FromWorker::Collected => n_done += 1,
                    other => return Err(Attempt::unexpected(other)),
                }
            }
            Ok(())
        })
    }
}

impl<E: SentEvent> Drop for Supervisor<E> {
    fn drop(&mut self) {
        self.status().ids.clear();
    }
}

const UNKNOWN_BATCH: &str = "the batch of an event is unknown";

/// Gives up, if the outcomes of a batch depend on the process or on the generation.
fn judge(sent: &SentBatch) -> Result<(), Attempt> {
    let Some(difference) = sent.difference() else {
        return Ok(());
    };
    let batch = sent.batch;
    Err(Attempt::Diverged(format!(
        "batch {batch} {difference}: a handler depends on something that is neither its event nor declared"
    )))
}

/// The failure of an operation.
enum Attempt {
    /// The generation has failed, and the next one may succeed.
    Failed(BoxError),
    /// The operation is not possible. The generation continues.
    GiveUp(BoxError),
    /// The outcomes of a batch differ.
    Diverged(String),
}

impl Attempt {
    fn failed(error: impl Into<BoxError>) -> Self {
        Self::Failed(error.into())
    }

    fn give_up(error: impl Into<BoxError>) -> Self {
        Self::GiveUp(error.into())
    }

    /// A worker has sent the reason why it cannot continue, or a message that was not expected.
    fn unexpected(message: FromWorker) -> Self {
        match message {
            FromWorker::Failed(text) => Self::failed(text),
            other => Self::failed(format!("unexpected message {other:?}")),
        }
    }
}

impl<E: SentEvent> fmt::Debug for Supervisor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor")
            .field("status", &self.status)
            .finish_non_exhaustive()
    }
}
