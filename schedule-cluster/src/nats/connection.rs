//! The connection to a server. It is on a thread of its own, whose calls all have a time limit.

use core::error::Error;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::HeaderMap;
use async_nats::header::{NATS_EXPECTED_LAST_SEQUENCE, NATS_EXPECTED_STREAM};
use async_nats::jetstream::context::{Context, PublishErrorKind};
use async_nats::jetstream::stream::{
    Config, DiscardPolicy, RawMessageErrorKind, RetentionPolicy, State, StorageType, Stream,
};
use async_nats::jetstream::{self, ErrorCode};
use bytes::Bytes;
use schedule_stream::internal::{fenced, remote_error};
use schedule_stream::journal::JournalError;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use super::NatsOptions;

/// The bytes of a message that are reserved for headers.
const RESERVED_BYTES: usize = 512;

/// The payloads of messages. `None` if a message is missing.
pub(super) type Payloads = Vec<Option<Bytes>>;

type BoxError = Box<dyn Error + Send + Sync>;

/// The sequence numbers of the first and the last message. `first > last` if all messages were removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Bounds {
    fn of(state: &State) -> Self {
        Self {
            first: state.first_sequence.max(1),
            last: state.last_sequence,
        }
    }
}

/// The stream of messages, when it was opened.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) bounds: Bounds,
    /// The maximum size of a payload in bytes.
    pub(super) max_bytes: usize,
}

enum Request {
    /// Publishes these payloads, the first with this sequence number. The result is that of the next `Settle`.
    Publish(u64, Vec<Vec<u8>>),
    /// Waits for all acknowledgements.
    Settle(mpsc::Sender<Result<(), JournalError>>),
    /// Returns the payloads of messages.
    Fetch(Range<u64>, mpsc::Sender<Result<Payloads, JournalError>>),
    /// Returns the present sequence numbers.
    Bounds(mpsc::Sender<Result<Bounds, JournalError>>),
    /// Removes the messages below a sequence number, if the last message has the other one.
    Purge {
        before: u64,
        last_sequence: u64,
        answer: mpsc::Sender<Result<(), JournalError>>,
    },
}

#[derive(Debug)]
pub(super) struct Connection {
    /// `None` only while it is dropped.
    requests: Option<UnboundedSender<Request>>,
    thread: Option<JoinHandle<()>>,
    /// Set if messages that were not published yet must not be published.
    is_dropped: Arc<AtomicBool>,
    service: String,
}

impl Connection {
    /// Connects, and creates the stream of messages if it is missing.
    pub(super) fn open(options: &NatsOptions) -> Result<(Self, Found), JournalError> {
        let service = format!("JetStream stream `{}`", options.stream);
        let failed = |error| remote_error("open", service.clone(), error);
        let (requests, received) = unbounded_channel();
        let is_dropped = Arc::new(AtomicBool::new(false));
        let (answer, opened) = mpsc::channel();
        let (options, dropped) = (options.clone(), Arc::clone(&is_dropped));
        let name = String::from("schedule-nats");
        let thread = thread::Builder::new().name(name).spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build();
            match runtime {
                Ok(runtime) => serve(&runtime, options, dropped, received, &answer),
                // The receiver waits for the answer.
                Err(error) => drop(answer.send(Err(error.into()))),
            }
        });
        let thread = thread.map_err(|error| failed(error.into()))?;
        let connection = Self {
            requests: Some(requests),
            thread: Some(thread),
            is_dropped,
            service: service.clone(),
        };
        let found = opened.recv().unwrap_or_else(|_| Err(thread_ended()));
        Ok((connection, found.map_err(failed)?))
    }

    /// Publishes these payloads later, the first with this sequence number.
    pub(super) fn publish(&self, sequence: u64, payloads: Vec<Vec<u8>>) {
        self.send(Request::Publish(sequence, payloads));
    }

    /// Waits for all acknowledgements. An error means that no message after the failed one was or will be published.
    pub(super) fn settle(&self) -> Result<(), JournalError> {
        self.ask(Request::Settle)
    }

    /// Returns the payloads of the messages with these sequence numbers.
    pub(super) fn fetch(&self, sequences: Range<u64>) -> Result<Payloads, JournalError> {
        self.ask(|answer| Request::Fetch(sequences, answer))
    }

    /// Returns the present sequence numbers. Another process may have added or removed messages.
    pub(super) fn bounds(&self) -> Result<Bounds, JournalError> {
        self.ask(Request::Bounds)
    }

    /// Removes the messages below `before`, if the last message of the stream is `last_sequence`.
    pub(super) fn purge(&self, before: u64, last_sequence: u64) -> Result<(), JournalError> {
        self.ask(|answer| Request::Purge {
            before,
            last_sequence,
            answer,
        })
    }

    fn ask<T>(
        &self,
        request: impl FnOnce(mpsc::Sender<Result<T, JournalError>>) -> Request,
    ) -> Result<T, JournalError> {
        let (answer, answered) = mpsc::channel();
        self.send(request(answer));
        // Each step of the thread has a time limit, so this wait ends, too.
        let answer = answered.recv();
        answer.unwrap_or_else(|_| Err(remote_error("reach", self.service.clone(), thread_ended())))
    }

    fn send(&self, request: Request) {
        let requests = self.requests.as_ref();
        // If the thread has ended, the next wait for an answer reports it.
        let _ = requests.expect("it is not dropped").send(request);
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Relaxed: a message that is published nevertheless is harmless. The journal was not synced.
        self.is_dropped.store(true, Relaxed);
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
    }
}

fn thread_ended() -> BoxError {
    "the thread of the connection has ended".into()
}

/// Runs the thread, until the connection is dropped.
fn serve(
    runtime: &Runtime,
    options: NatsOptions,
    is_dropped: Arc<AtomicBool>,
    mut requests: UnboundedReceiver<Request>,
    answer: &mpsc::Sender<Result<Found, BoxError>>,
) {
    runtime.block_on(async {
        let opened = limited(options.timeout, Remote::open(options, is_dropped)).await;
        let mut remote = match opened {
            Ok((remote, found)) => {
                // The receiver waits for the answer.
                let _ = answer.send(Ok(found));
                remote
            }
            Err(error) => return drop(answer.send(Err(error))),
        };
        while let Some(request) = requests.recv().await {
            remote.answer(request).await;
        }
    });
}

/// Awaits a call of the server, until the time limit.
async fn limited<T>(
    timeout: Duration,
    call: impl Future<Output = Result<T, BoxError>>,
) -> Result<T, BoxError> {
    match tokio::time::timeout(timeout, call).await {
        Ok(result) => result,
        Err(_) => Err(format!("no answer within {timeout:?}").into()),
    }
}

/// The part of a connection on its thread.
struct Remote {
    options: NatsOptions,
    is_dropped: Arc<AtomicBool>,
    context: Context,
    stream: Arc<Stream>,
    /// The error of a message, until it is reported.
    failure: Option<JournalError>,
    /// Whether a message has failed. Then later ones are not published.
    has_failed: bool,
}

impl Remote {
    async fn open(
        options: NatsOptions,
        is_dropped: Arc<AtomicBool>,
    ) -> Result<(Self, Found), BoxError> {
        let client = ConnectOptions::new()
            .name("schedule-cluster journal")
            .connection_timeout(options.timeout)
            .request_timeout(Some(options.timeout))
            .connect(&options.server)
            .await?;
        let mut max_bytes = client.server_info().max_payload;
        let mut context = jetstream::new(client);
        context.set_timeout(options.timeout);
        let config = Config {
            name: options.stream.clone(),
            subjects: vec![options.subject.clone()],
            storage: StorageType::File,
            num_replicas: options.n_replicas,
            discard: DiscardPolicy::New,
            ..Config::default()
        };
        let mut stream = context.get_or_create_stream(config).await?;
        let info = stream.info().await?;
        check_config(&info.config, &options.subject)?;
        if let Ok(max_message) = usize::try_from(info.config.max_message_size)
            && max_message > 0
        {
            max_bytes = max_bytes.min(max_message);
        }
        if max_bytes < 2 * RESERVED_BYTES {
            return Err(format!(
                "its maximum message size is {max_bytes} bytes, and must be at least {}",
                2 * RESERVED_BYTES
            )
            .into());
        }
        let found = Found {
            bounds: Bounds::of(&info.state),
            max_bytes: max_bytes - RESERVED_BYTES,
        };
        let remote = Self {
            options,
            is_dropped,
            context,
            stream: Arc::new(stream),
            failure: None,
            has_failed: false,
        };
        Ok((remote, found))
    }

    async fn answer(&mut self, request: Request) {
        // The caller waits for each answer.
        match request {
            Request::Publish(first, payloads) => {
                for (sequence, payload) in (first..).zip(payloads) {
                    if !self.has_failed && !self.is_dropped.load(Relaxed) {
                        self.publish(sequence, payload).await;
                    }
                }
            }
            Request::Settle(answer) => {
                let _ = answer.send(self.failure.take().map_or(Ok(()), Err));
            }
            Request::Fetch(sequences, answer) => {
                let _ = answer.send(self.fetch(sequences).await);
            }
            Request::Bounds(answer) => {
                let _ = answer.send(self.bounds("read").await);
            }
            Request::Purge {
                before,
                last_sequence,
                answer,
            } => {
                let _ = answer.send(self.purge(before, last_sequence).await);
            }
        }
    }

    /// Publishes one message, and waits for its acknowledgement.
    ///
    /// The next message is published only then. Otherwise the server could refuse this message, since another process has written
    /// one with its sequence number, and accept the next one, whose expected sequence number is then right.
    async fn publish(&mut self, sequence: u64, payload: Vec<u8>) {
        let mut headers = HeaderMap::new();
        headers.insert(NATS_EXPECTED_STREAM, self.options.stream.as_str());
        headers.insert(
            NATS_EXPECTED_LAST_SEQUENCE,
            (sequence - 1).to_string().as_str(),
        );
        let subject = self.options.subject.clone();
        let published = async {
            let sent = self
                .context
                .publish_with_headers(subject, headers, payload.into());
            Ok(sent.await?.await)
        };
        let failure = match limited(self.options.timeout, published).await {
            Ok(Ok(acknowledged)) if acknowledged.sequence == sequence => return,
            // The stream was created again in between, or this is not the right one.
            Ok(Ok(_)) => fenced(self.options.stream.clone(), sequence),
            Ok(Err(error)) if error.kind() == PublishErrorKind::WrongLastSequence => {
                fenced(self.options.stream.clone(), sequence)
            }
            Ok(Err(error)) => self.failed("write to", error.into()),
            Err(error) => self.failed("write to", error),
        };
        self.failure = Some(failure);
        self.has_failed = true;
    }

    async fn fetch(&self, sequences: Range<u64>) -> Result<Payloads, JournalError> {
        let mut calls = JoinSet::new();
        for sequence in sequences.clone() {
            let (stream, timeout) = (Arc::clone(&self.stream), self.options.timeout);
            calls.spawn(async move {
                let call = async { Ok(stream.get_raw_message(sequence).await) };
                (sequence, limited(timeout, call).await)
            });
        }
        let mut payloads = vec![None; calls.len()];
        while let Some(joined) = calls.join_next().await {
            let (sequence, result) = joined.map_err(|error| self.failed("read", error.into()))?;
            let is_missing = |kind: RawMessageErrorKind| match kind {
                RawMessageErrorKind::NoMessageFound => true,
                RawMessageErrorKind::JetStream(error) => {
                    error.error_code() == ErrorCode::NO_MESSAGE_FOUND
                }
                _ => false,
            };
            payloads[(sequence - sequences.start) as usize] = match result {
                Ok(Ok(message)) => Some(message.payload),
                Ok(Err(error)) if is_missing(error.kind()) => None,
                Ok(Err(error)) => return Err(self.failed("read", error.into())),
                Err(error) => return Err(self.failed("read", error)),
            };
        }
        Ok(payloads)
    }

    async fn bounds(&self, action: &'static str) -> Result<Bounds, JournalError> {
        let info = async { Ok(self.stream.get_info().await?) };
        match limited(self.options.timeout, info).await {
            Ok(info) => Ok(Bounds::of(&info.state)),
            Err(error) => Err(self.failed(action, error)),
        }
    }

    async fn purge(&self, before: u64, last_sequence: u64) -> Result<(), JournalError> {
        if self.bounds("truncate").await?.last != last_sequence {
            return Err(fenced(self.options.stream.clone(), last_sequence + 1));
        }
        let purge = async { Ok(self.stream.purge().sequence(before).await?) };
        match limited(self.options.timeout, purge).await {
            Ok(_) => Ok(()),
            Err(error) => Err(self.failed("truncate", error)),
        }
    }

    fn failed(&self, action: &'static str, error: BoxError) -> JournalError {
        let service = format!("JetStream stream `{}`", self.options.stream);
        remote_error(action, service, error)
    }
}

/// Fails if the stream of messages would lose messages, or has others.
fn check_config(config: &Config, subject: &str) -> Result<(), BoxError> {
    let drops_old =
        config.discard == DiscardPolicy::Old && (config.max_messages > 0 || config.max_bytes > 0);
    let problem = if config.subjects != [subject] {
        format!(
            "its subjects are {:?}, but must be only `{subject}`",
            config.subjects
        )
    } else if config.storage != StorageType::File {
        "it is stored in memory; create it with file storage".into()
    } else if config.retention != RetentionPolicy::Limits
        || !config.max_age.is_zero()
        || config.max_messages_per_subject > 0
        || drops_old
    {
        "it removes old messages; create it without limits".into()
    } else if config.no_ack {
        "it acknowledges no messages; create it with acknowledgements".into()
    } else {
        return Ok(());
    };
    Err(problem.into())
}
