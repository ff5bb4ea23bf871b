//! A worker process: it connects to its supervisor, and runs one shard until the connection ends.

use core::cell::RefCell;
use std::io::{self, BufRead, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use schedule::snapshot::Decoder;
use schedule::{BoxError, Resources};
use schedule_stream::EventLimits;
use schedule_stream::internal::{EventRunner, SentEvent};
use serde::Serialize;
use timely::WorkerConfig;
use timely::worker::Worker;

use crate::arrivals::{Endpoints, introduce};
use crate::bucket::{N_BUCKETS, owner};
use crate::error::MAX_PROCESSES;
use crate::executable::Executable;
use crate::flow::{self, Flow, FlowState};
use crate::keys::KeyLocator;
use crate::mesh;
use crate::parts;
use crate::secret::Secret;
use crate::shard::{Outbox, Shard};
use crate::store::Store;
use crate::wire::{
    EventsHead, Frame, FromWorker, Hello, Program, RestoredState, ToWorker, frame, read_frame,
};

/// The last argument of a worker. Programs that a handler starts do not have it, as they would have an environment variable.
pub(crate) const ARGUMENT: &str = "schedule-cluster-worker";

/// Maximum length of an invitation in bytes.
const MAX_INVITATION_BYTES: u64 = 64 << 10;

/// The time between two messages that show that the process is alive.
const HEARTBEAT: Duration = Duration::from_millis(200);

/// The time within which the supervisor must answer to the first bytes of a worker. It may be stopped for some time.
const INTRODUCTION_LIMIT: Duration = Duration::from_secs(300);

/// The error about a batch with the highest number.
const NO_NEXT_BATCH: &str = "the number of a batch is the highest one";

/// A worker that waits longer than this looks for messages.
const MAX_PARK: Duration = Duration::from_millis(50);

/// Ends of events wait for this time, if the worker is busy.
const FLUSH_INTERVAL: Duration = Duration::from_millis(1);

/// How a worker finds its supervisor. It gets this on its standard input, because other users can see arguments.
#[derive(Clone, Debug)]
pub(crate) struct Invitation {
    pub(crate) address: String,
    pub(crate) secret: Secret,
    pub(crate) index: u32,
    pub(crate) parts: PathBuf,
}

impl Invitation {
    /// Returns the content of the standard input.
    pub(crate) fn to_text(&self) -> String {
        let Self {
            address,
            secret,
            index,
            parts,
        } = self;
        format!(
            "{address} {} {index} {}\0",
            secret.to_text(),
            parts.display()
        )
    }

    /// Reads the invitation that the supervisor sends.
    pub(crate) fn read(from: impl BufRead) -> Option<Self> {
        let mut bytes = Vec::new();
        // A command such as `ssh` may not end the input.
        let mut from = from.take(MAX_INVITATION_BYTES);
        from.read_until(0, &mut bytes).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let mut fields = text.strip_suffix('\0')?.splitn(4, ' ');
        Some(Self {
            address: fields.next()?.to_string(),
            secret: Secret::of_text(fields.next()?)?,
            index: fields.next()?.parse().ok()?,
            parts: fields.next()?.into(),
        })
    }
}

/// What a worker needs of its program.
#[derive(Debug)]
pub(crate) struct WorkerProgram {
    pub(crate) program: Program,
    pub(crate) resources: Resources,
    pub(crate) limits: EventLimits,
    pub(crate) stores: Vec<Store>,
}

/// The connection to the supervisor.
#[derive(Clone)]
struct SupervisorLink(Arc<Mutex<TcpStream>>);

impl SupervisorLink {
    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        stream.write_all(bytes)
    }

    fn send_message(&self, message: &impl Serialize) -> io::Result<()> {
        self.send(&frame(message)?)
    }
}

/// Runs a worker until its supervisor ends the connection, and then ends the process.
pub(crate) fn run<E: SentEvent>(invitation: &Invitation, program: WorkerProgram) -> ! {
    // A connection to another worker has ended, so this generation is over. The supervisor starts the next one.
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if thread::current()
            .name()
            .is_some_and(|name| name.starts_with("timely:send") || name.starts_with("timely:recv"))
        {
            process::exit(3);
        }
        print(panic);
    }));
    let stream = match TcpStream::connect(&invitation.address) {
        Ok(stream) => stream,
        // The supervisor has ended.
        Err(_) => process::exit(2),
    };
    let ends = Endpoints {
        connector: invitation.index,
        acceptor: None,
    };
    let connected = stream
        .set_nodelay(true)
        .and_then(|()| introduce(&stream, &invitation.secret, ends, INTRODUCTION_LIMIT))
        .and_then(|()| stream.try_clone());
    let Ok(reading) = connected else {
        process::exit(2)
    };
    let supervisor = SupervisorLink(Arc::new(Mutex::new(stream)));
    if let Err(error) = serve::<E>(invitation, program, &supervisor, reading) {
        fail(&supervisor, &error);
    }
    process::exit(1);
}

/// Reports an error to the supervisor, and ends the process.
fn fail(supervisor: &SupervisorLink, error: &BoxError) -> ! {
    let failed = FromWorker::Failed(error.to_string());
    drop(supervisor.send_message(&failed));
    // The supervisor ends this process.
    thread::sleep(Duration::from_secs(10));
    process::exit(1);
}

fn serve<E: SentEvent>(
    invitation: &Invitation,
    program: WorkerProgram,
    supervisor: &SupervisorLink,
    reading: TcpStream,
) -> Result<(), BoxError> {
    let locator = KeyLocator::new::<E>(&program.stores)?;
    let local = reading.local_addr()?.ip();
    let listener = TcpListener::bind((local, 0))?;
    supervisor.send_message(&FromWorker::Hello(Hello {
        program: program.program.clone(),
        executable: Executable::of_this_process().map_err(|error| error.to_string()),
        address: listener.local_addr()?.to_string(),
    }))?;
    let beating = supervisor.clone();
    thread::Builder::new()
        .name("schedule-heartbeat".into())
        .spawn(move || {
            while beating.send_message(&FromWorker::Heartbeat).is_ok() {
                thread::sleep(HEARTBEAT);
            }
            process::exit(0);
        })?;
    let (sender, frames) = channel();
    let (reader, to_wake) = channel();
    thread::Builder::new()
        .name("schedule-frames".into())
        .spawn(move || {
            read_frames(reading, &to_wake, &|bytes| sender.send(bytes).is_ok());
            // The supervisor has ended this generation.
            process::exit(0);
        })?;
    let bytes = frames.recv()?;
    let ToWorker::Start { addresses } = Decoder::new(&bytes).read()? else {
        return Err("the first message of the supervisor is wrong".into());
    };
    let (me, n) = (invitation.index as usize, addresses.len());
    if me >= n || n > MAX_PROCESSES {
        return Err(format!("worker {me} of {n} cannot exist").into());
    }
    let (allocators, guard) = match n {
        1 => timely::CommunicationConfig::Thread.try_build()?,
        _ => {
            let limit = Duration::from_secs(30);
            let sockets = mesh::connect(&listener, &addresses, me, &invitation.secret, limit)?;
            let (this, guard) = mesh::allocator(sockets, me)?;
            (vec![this], guard)
        }
    };
    // The dataflow runs on a thread of its own, which takes these values.
    let start = Mutex::new(Some(Start {
        invitation: invitation.clone(),
        n: n as u32,
        program,
        locator,
        supervisor: supervisor.clone(),
        frames,
        reader,
    }));
    let config = WorkerConfig::default();
    let workers = timely::execute::execute_from(allocators, guard, config, move |worker| {
        let start = start
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .expect("a process has one worker");
        let supervisor = start.supervisor.clone();
        // After this function, timely would run the dataflow until all workers end it.
        if let Err(error) = start.run::<E>(worker) {
            fail(&supervisor, &error);
        }
    })?;
    for ended in workers.join() {
        ended?;
    }
    Ok(())
}

/// The values of the thread that runs the dataflow.
struct Start {
    invitation: Invitation,
    n: u32,
    program: WorkerProgram,
    locator: KeyLocator,
    supervisor: SupervisorLink,
    frames: Receiver<Vec<u8>>,
    /// Takes the thread that frames wake.
    reader: Sender<Thread>,
}

impl Start {
    fn run<E: SentEvent>(self, worker: &mut Worker) -> Result<(), BoxError> {
        let Self {
            invitation,
            n,
            program,
            locator,
            supervisor,
            frames,
            reader,
        } = self;
        reader.send(thread::current())?;
        let mut runner = EventRunner::<E>::new(program.resources, program.limits);
        let bytes = frames.recv()?;
        let ToWorker::Restore { batch, saved } = Decoder::new(&bytes).read()? else {
            return Err("the second message of the supervisor is wrong".into());
        };
        let next_batch = batch.checked_add(1).ok_or(NO_NEXT_BATCH)?;
        restore(&invitation, n, &locator, runner.resources_mut(), saved)?;
        let me = invitation.index;
        let shard = Shard::new(me, n, runner, locator, next_batch);
        let state = Rc::new(RefCell::new(FlowState {
            shard,
            out: Outbox::default(),
            failed: Ok(()),
        }));
        let flow = flow::build(worker, &state);
        supervisor.send_message(&FromWorker::Ready)?;
        let mut serving = Serving {
            supervisor: &supervisor,
            parts: invitation.parts.clone(),
            frames,
            state,
            flow,
            waiting: None,
            next_batch,
            last_flush: Instant::now(),
        };
        loop {
            serving.take_frames()?;
            worker.step_or_park(Some(MAX_PARK));
            serving.flush()?;
        }
    }
}

/// Reads frames until the connection ends, and wakes the thread that takes them.
fn read_frames(mut from: TcpStream, to_wake: &Receiver<Thread>, send: &dyn Fn(Vec<u8>) -> bool) {
    let mut reader: Option<Thread> = None;
    let mut buffered = io::BufReader::with_capacity(64 << 10, &mut from);
    while let Ok(bytes) = read_frame(&mut buffered) {
        if !send(bytes) {
            return;
        }
        reader = reader.or_else(|| to_wake.try_recv().ok());
        if let Some(reader) = &reader {
            reader.unpark();
        }
    }
}

/// Keeps the values of this worker, and restores those that were saved.
fn restore(
    invitation: &Invitation,
    n: u32,
    locator: &KeyLocator,
    resources: &mut Resources,
    saved: Option<RestoredState>,
) -> Result<(), BoxError> {
    let is_own = |bucket| owner(bucket, n) == invitation.index;
    for store in locator.stores() {
        // A store that was not saved keeps its first values.
        let is_saved = |saved: &RestoredState| {
            let mut names = saved.stores.iter();
            names.any(|name| saved.changes.name_now(name) == store.name)
        };
        let is_restored = saved.as_ref().is_some_and(is_saved);
        (store.keep)(resources, &|hash| !is_restored && is_own(hash.bucket()))?;
    }
    let Some(RestoredState {
        buckets, changes, ..
    }) = saved
    else {
        return Ok(());
    };
    for bucket in &buckets {
        parts::read_bucket(&invitation.parts, bucket, &mut |chunk| {
            parts::restore_chunk(locator.stores(), resources, &changes, &is_own, chunk)
        })?;
    }
    Ok(())
}

struct Serving<'w, E: SentEvent> {
    supervisor: &'w SupervisorLink,
    parts: PathBuf,
    frames: Receiver<Vec<u8>>,
    state: Rc<RefCell<FlowState<E>>>,
    flow: Flow,
    /// A message that waits until all batches are done.
    waiting: Option<ToWorker>,
    /// The batch after the last one whose events have all arrived.
    next_batch: u64,
    /// When ends were sent.
    last_flush: Instant,
}

impl<E: SentEvent> Serving<'_, E> {
    /// Takes all messages that wait.
    fn take_frames(&mut self) -> Result<(), BoxError> {
        while self.waiting.is_none() {
            let bytes = match self.frames.try_recv() {
                Ok(bytes) => bytes,
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => process::exit(0),
            };
            let mut decoder = Decoder::new(&bytes);
            match decoder.read()? {
                ToWorker::Events(head) => {
                    let at = bytes.len() - decoder.n_left();
                    self.push_events(head, bytes, at)?;
                }
                message => self.waiting = Some(message),
            }
        }
        let is_done = !self.flow.probe.less_than(&self.next_batch);
        let is_done = is_done && self.state.borrow().shard.is_idle();
        if let Some(message) = self.waiting.take_if(|_| is_done) {
            self.serve(message)?;
        }
        Ok(())
    }

    fn push_events(&mut self, head: EventsHead, bytes: Vec<u8>, at: usize) -> Result<(), BoxError> {
        let after = head.batch.checked_add(1).ok_or(NO_NEXT_BATCH)?;
        if head.is_last {
            self.next_batch = after;
        }
        self.state.borrow_mut().shard.push_events(head, bytes, at);
        self.flow.activator.activate();
        Ok(())
    }

    /// Sends the ends of events, if there are any. Each message wakes threads of the supervisor, which may have to wait for this
    /// processor. So ends wait for others while there is work.
    fn flush(&mut self) -> Result<(), BoxError> {
        let FlowState { shard, out, failed } = &mut *self.state.borrow_mut();
        core::mem::replace(failed, Ok(()))?;
        let is_due = shard.is_waiting() || self.last_flush.elapsed() >= FLUSH_INTERVAL;
        if (out.n_ends > 0 || !out.checks.is_empty()) && is_due {
            self.last_flush = Instant::now();
            let mut frame = Frame::new(&FromWorker::Ends {
                n: out.n_ends,
                costs: shard.costs.clone(),
                checks: core::mem::take(&mut out.checks),
            })?;
            frame.append(out.ends.as_bytes());
            out.ends.clear();
            out.n_ends = 0;
            self.supervisor.send(&frame.finish()?)?;
        }
        Ok(())
    }

    /// Serves a message after all batches.
    fn serve(&mut self, message: ToWorker) -> Result<(), BoxError> {
        let FlowState { shard, .. } = &mut *self.state.borrow_mut();
        match message {
            ToWorker::Save { file, since, also } => {
                let is_wanted: Vec<bool> = (0..N_BUCKETS)
                    .map(|bucket| shard.has_changed(bucket, since) || also.contains(&bucket))
                    .collect();
                let (stores, resources) = (shard.stores(), shard.resources());
                let is_wanted = |bucket| is_wanted[usize::from(bucket)];
                let path = parts::path_of(&self.parts, &file)?;
                let written = parts::write_part(&path, &stores, resources, &is_wanted)?;
                self.supervisor.send_message(&match written {
                    Ok(buckets) => FromWorker::Saved { buckets },
                    Err(error) => FromWorker::NotSaved(error.to_string()),
                })?;
            }
            ToWorker::Collect => {
                // Resources of other processes have no meaning here.
                let (me, n) = (shard.me(), shard.n_processes());
                let is_own = |bucket| owner(bucket, n) == me;
                let (stores, resources) = (shard.stores(), shard.resources());
                let mut sent = Ok(());
                let send = |chunk: &[u8]| {
                    let mut frame = Frame::new(&FromWorker::Chunk).map_err(io::Error::other)?;
                    frame.append(chunk);
                    self.supervisor.send(&frame.finish()?)
                };
                let visit = &mut |_, chunk: &[u8]| {
                    if sent.is_ok() {
                        sent = send(chunk);
                    }
                    Ok(())
                };
                let max_bytes = parts::MAX_BUFFERED_BYTES;
                parts::each_chunk(&stores, resources, &is_own, max_bytes, visit)?;
                sent?;
                self.supervisor.send_message(&FromWorker::Collected)?;
            }
            ToWorker::Start { .. } | ToWorker::Restore { .. } | ToWorker::Events(_) => {
                return Err("the message comes at a wrong time".into());
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invitation_is_read_as_it_was_written() {
        let invitation = Invitation {
            address: "10.0.0.1:4000".into(),
            secret: Secret::random().unwrap(),
            index: 3,
            parts: "/a folder\nwith two lines/parts".into(),
        };
        let text = invitation.to_text();
        let found = Invitation::read(format!("{text}more").as_bytes()).unwrap();
        assert_eq!(found.to_text(), text);
        assert_eq!(found.index, 3);
        for text in ["", "text\n", "10.0.0.1:4000 zz 3 /parts\0"] {
            assert!(Invitation::read(text.as_bytes()).is_none(), "{text}");
        }
    }
}
