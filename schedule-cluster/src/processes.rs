//! The worker processes of one generation: their start, their messages, and their end.

mod children;
mod heartbeats;

use core::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Shutdown, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use schedule::BoxError;

pub(crate) use self::children::Children;
use self::heartbeats::Heartbeats;
use crate::arrivals::Arrivals;
use crate::error::StartError;
use crate::executable::ExecutableCheck;
use crate::secret::{Secret, random};
use crate::wire::{FromWorker, Program, RestoredState, ToWorker, frame, read_frame, read_message};
use crate::worker::{ARGUMENT, Invitation};

/// How worker processes are started and watched.
pub(crate) struct ProcessSettings {
    pub(crate) n: u32,
    /// Creates the command of a worker.
    pub(crate) command: Box<dyn FnMut(usize) -> Command + Send>,
    pub(crate) executables: ExecutableCheck,
    /// The address at which the supervisor waits for workers.
    pub(crate) address: IpAddr,
    /// A worker that is silent for longer has failed.
    pub(crate) heartbeat_limit: Duration,
    /// Workers that end no event for longer have failed, if events wait.
    pub(crate) progress_limit: Duration,
    /// Workers that save or restore their state for longer have failed.
    pub(crate) save_limit: Duration,
    pub(crate) parts: PathBuf,
}

impl fmt::Debug for ProcessSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessSettings")
            .field("n", &self.n)
            .finish_non_exhaustive()
    }
}

/// A frame of a worker, or the end of its connection.
type Received = (u32, io::Result<Vec<u8>>);

/// The connections to the processes of one generation. If it is dropped, they are closed, and the workers end.
#[derive(Debug)]
pub(crate) struct Processes {
    /// By index. `None`: the worker has not connected.
    streams: Vec<Option<TcpStream>>,
    received: Receiver<Received>,
    heartbeats: Heartbeats,
    /// Names the parts of this generation. It is not secret.
    token: u128,
}

impl Drop for Processes {
    fn drop(&mut self) {
        // The threads that read have copies of the streams, so it does not suffice to drop them. A worker on another machine ends
        // by its closed connection.
        for stream in self.streams.iter().flatten() {
            drop(stream.shutdown(Shutdown::Both));
        }
    }
}

fn fail(index: u32, error: impl Into<BoxError>) -> StartError {
    let error = error.into();
    StartError::Worker { index, error }
}

impl Processes {
    /// Starts all processes, and restores their state. First waits until those of the previous generation have ended.
    pub(crate) fn start(
        settings: &mut ProcessSettings,
        children: &mut Children,
        program: &Program,
        batch: u64,
        saved: &dyn Fn(u32) -> Option<RestoredState>,
    ) -> Result<Self, StartError> {
        children.end()?;
        let token = random()
            .map(u128::from_le_bytes)
            .map_err(|error| fail(0, error))?;
        let secret = Secret::random().map_err(|error| fail(0, error))?;
        let listener = TcpListener::bind((settings.address, 0)).map_err(|error| fail(0, error))?;
        let (sender, received) = channel();
        let mut processes = Self {
            streams: (0..settings.n).map(|_| None).collect(),
            received,
            heartbeats: Heartbeats::new(settings.n as usize, settings.heartbeat_limit),
            token,
        };
        let address = listener
            .local_addr()
            .map_err(|error| fail(0, error))?
            .to_string();
        for index in 0..settings.n {
            let invitation = Invitation {
                address: address.clone(),
                secret: secret.clone(),
                index,
                parts: settings.parts.clone(),
            };
            let mut command = (settings.command)(index as usize);
            command.arg(ARGUMENT);
            command.stdin(Stdio::piped()).stdout(Stdio::null());
            let spawned = children.spawn(index, &mut command);
            let input = spawned.map_err(|error| fail(index, error))?;
            if let Some(mut input) = input {
                // If it has ended, `accept` reports this.
                drop(input.write_all(invitation.to_text().as_bytes()));
            }
        }
        let addresses =
            processes.accept(&listener, &secret, settings, children, program, &sender)?;
        let send = |processes: &mut Self, index: u32, message: &ToWorker| {
            let bytes = frame(message).map_err(|error| fail(index, error))?;
            processes
                .send(index, &bytes)
                .map_err(|error| fail(index, error))
        };
        for index in 0..settings.n {
            let addresses = addresses.clone();
            send(&mut processes, index, &ToWorker::Start { addresses })?;
            let saved = saved(index);
            send(&mut processes, index, &ToWorker::Restore { batch, saved })?;
        }
        let end = Instant::now() + settings.save_limit;
        let mut n_ready = 0;
        while n_ready < settings.n {
            let (index, bytes) = processes.receive(end)?;
            match read_message(&bytes).map_err(|error| fail(index, error))? {
                FromWorker::Ready => n_ready += 1,
                FromWorker::Failed(text) => return Err(fail(index, text)),
                other => return Err(fail(index, format!("unexpected message {other:?}"))),
            }
        }
        Ok(processes)
    }

    /// Waits for the connections of all workers. Returns their addresses.
    fn accept(
        &mut self,
        listener: &TcpListener,
        secret: &Secret,
        settings: &mut ProcessSettings,
        children: &mut Children,
        program: &Program,
        sender: &Sender<Received>,
    ) -> Result<Vec<String>, StartError> {
        let n = settings.n as usize;
        let limit = settings.progress_limit;
        let mut end = Instant::now() + limit;
        let mut addresses: Vec<Option<String>> = vec![None; n];
        let mut arrivals = Arrivals::new(listener, secret, None).map_err(|error| fail(0, error))?;
        while let Some(missing) = addresses.iter().position(Option::is_none) {
            let missing = missing as u32;
            let now = Instant::now();
            // Connections may wait to be accepted since then.
            end += self.heartbeats.look(now);
            if now > end {
                let text = format!("it has not connected within {limit:?}");
                return Err(fail(missing, text));
            }
            if let Some((index, stream)) = arrivals.take().map_err(|error| fail(missing, error))? {
                if let Some(None) = self.streams.get(index as usize) {
                    let started = self.start_reader(index, &stream, limit, sender);
                    started.map_err(|error| fail(index, error))?;
                    self.streams[index as usize] = Some(stream);
                }
                continue;
            }
            let Ok((index, received)) = self.received.try_recv() else {
                children.check()?;
                thread::sleep(Duration::from_millis(1));
                continue;
            };
            let bytes = received.map_err(|error| fail(index, error))?;
            match read_message(&bytes).map_err(|error| fail(index, error))? {
                FromWorker::Hello(hello) => {
                    check_program(index, &hello.program, program)?;
                    let same = settings.executables.check(index, hello.executable);
                    same.map_err(|error| fail(index, error))?;
                    addresses[index as usize] = Some(hello.address);
                }
                FromWorker::Heartbeat => {}
                FromWorker::Failed(text) => return Err(fail(index, text)),
                other => return Err(fail(index, format!("unexpected message {other:?}"))),
            }
        }
        Ok(addresses.into_iter().flatten().collect())
    }

    /// The token in the names of parts.
    pub(crate) fn token(&self) -> u128 {
        self.token
    }

    pub(crate) fn send(&mut self, index: u32, bytes: &[u8]) -> io::Result<()> {
        let stream = self.streams[index as usize].as_mut();
        stream.ok_or(ErrorKind::NotConnected)?.write_all(bytes)
    }

    /// Returns the next message that is not a heartbeat, with the index of its worker.
    ///
    /// # Errors
    ///
    /// Fails if a worker has failed, or when `end` is reached.
    pub(crate) fn receive(&mut self, mut end: Instant) -> Result<(u32, Vec<u8>), StartError> {
        loop {
            let now = Instant::now();
            // Messages may wait to be read since then.
            end += self.heartbeats.look(now);
            self.check_silence(now)?;
            let (wait, is_over) = (end.saturating_duration_since(now), now >= end);
            match self
                .received
                .recv_timeout(wait.min(self.heartbeats.interval()))
            {
                Ok((index, received)) => {
                    let bytes = received.map_err(|error| fail(index, error))?;
                    if !matches!(read_message(&bytes), Ok(FromWorker::Heartbeat)) {
                        return Ok((index, bytes));
                    }
                }
                Err(_) if is_over => {
                    let (index, _) = self.heartbeats.oldest();
                    return Err(fail(index, "it has made no progress within the time limit"));
                }
                Err(_) => {}
            }
        }
    }

    /// Fails if a worker is silent. Returns the time for which this process did not run, if it was long.
    pub(crate) fn look(&mut self) -> Result<Duration, StartError> {
        let now = Instant::now();
        let lost = self.heartbeats.look(now);
        self.check_silence(now)?;
        Ok(lost)
    }

    /// Returns the next message that is not a heartbeat, if it has arrived. Fails if a worker has failed.
    pub(crate) fn try_receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, StartError> {
        while let Ok((index, received)) = self.received.try_recv() {
            let bytes = received.map_err(|error| fail(index, error))?;
            if !matches!(read_message(&bytes), Ok(FromWorker::Heartbeat)) {
                return Ok(Some((index, bytes)));
            }
        }
        Ok(None)
    }

    /// Fails if a worker is silent.
    fn check_silence(&self, now: Instant) -> Result<(), StartError> {
        let Some(index) = self.heartbeats.silent(now) else {
            return Ok(());
        };
        let limit = self.heartbeats.limit();
        Err(fail(index, format!("it was silent for {limit:?}")))
    }

    /// Starts a thread that reads the messages of a worker.
    fn start_reader(
        &self,
        index: u32,
        stream: &TcpStream,
        write_limit: Duration,
        sender: &Sender<Received>,
    ) -> io::Result<()> {
        // A worker reads all the time, unless it has failed.
        stream.set_write_timeout(Some(write_limit))?;
        let reading = self.heartbeats.listen(index, stream.try_clone()?);
        let sender = sender.clone();
        thread::Builder::new()
            .name(format!("schedule-worker-{index}"))
            .spawn(move || read_all(index, reading, &sender))?;
        Ok(())
    }
}

fn check_program(index: u32, found: &Program, expected: &Program) -> Result<(), StartError> {
    let differs = if (&found.name, found.version) != (&expected.name, expected.version) {
        "its program has another name or version"
    } else if found.types != expected.types {
        "its events or resources have other names or versions"
    } else if found.constants != expected.constants {
        "its constants or limits have other values"
    } else {
        return Ok(());
    };
    Err(fail(
        index,
        format!("{differs}: all processes must run the same program, with the same constants"),
    ))
}

fn read_all(index: u32, stream: impl Read, sender: &Sender<Received>) {
    let mut buffered = io::BufReader::with_capacity(64 << 10, stream);
    loop {
        let received = read_frame(&mut buffered).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "its connection has ended"),
            _ => error,
        });
        let is_over = received.is_err();
        if sender.send((index, received)).is_err() || is_over {
            return;
        }
    }
}
