//! Readers and writers outside of systems, also on other threads.

use core::fmt;
use core::marker::PhantomData;
use core::mem::take;
use core::panic::Location;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::cursor::ReaderCursor;
use super::list::MessageList;
use super::{Messages, MessagesFull};
use crate::base::identity::Name;
use crate::base::panics::drop_caught;
use crate::base::place::SystemPlace;
use crate::data::param::MessageReader;

/// A reader of [`Messages`] outside of systems. See [`Messages::cursor`].
pub struct MessageCursor<T> {
    cursor: Arc<ReaderCursor>,
    keep: Option<u64>,
    messages_id: u64,
    messages: PhantomData<fn() -> T>,
}

impl<T> MessageCursor<T> {
    #[track_caller]
    pub(super) fn new(messages: &Messages<T>, keep: Option<u64>) -> Self {
        let cursor = Arc::new(ReaderCursor::new(keep, Arc::new(here("a cursor")), false));
        messages.register(&cursor, None);
        Self {
            cursor,
            keep,
            messages_id: messages.id(),
            messages: PhantomData,
        }
    }

    /// Returns the messages that this cursor has not returned before.
    ///
    /// If this is another queue than in the last call, the cursor registers there, at the oldest message that another reader has not seen.
    pub fn read<'m>(&mut self, messages: &'m Messages<T>) -> MessageReader<'m, T> {
        if self.messages_id != messages.id() {
            let reader = Arc::clone(self.cursor.reader());
            self.cursor = Arc::new(ReaderCursor::new(self.keep, reader, false));
            self.messages_id = messages.id();
            messages.register(&self.cursor, None);
        }
        MessageReader::of_range(messages, messages.take_unread(&self.cursor))
    }
}

impl<T> fmt::Debug for MessageCursor<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MessageCursor(at {})", self.cursor.position())
    }
}

/// The place of a reader outside of systems.
#[track_caller]
fn here(name: &str) -> SystemPlace {
    SystemPlace {
        name: name.to_string(),
        location: Location::caller(),
    }
}

/// The messages of other threads that are not in the queue yet.
pub(super) struct Inbox<T> {
    sent: Mutex<Sent<T>>,
    /// The number of these messages. Read without the lock, at the start of each run.
    n_sent: AtomicUsize,
    /// Notified when there is room, or when the queue is dropped.
    has_changed: Condvar,
}

struct Sent<T> {
    messages: MessageList<T>,
    bound: usize,
    is_closed: bool,
}

impl<T> Inbox<T> {
    pub(super) fn new(bound: usize) -> Self {
        Self {
            sent: Mutex::new(Sent {
                messages: MessageList(Vec::new()),
                bound,
                is_closed: false,
            }),
            n_sent: AtomicUsize::new(0),
            has_changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sent<T>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_bound(&self, bound: usize) {
        self.lock().bound = bound;
        self.has_changed.notify_all();
    }

    pub(super) fn is_empty(&self) -> bool {
        // Relaxed: a message that is sent at the same time may wait for the next run.
        self.n_sent.load(Ordering::Relaxed) == 0
    }

    /// Moves at most `n` messages to the end of a list.
    pub(super) fn take(&self, n: usize, to: &mut Vec<T>) {
        let mut sent = self.lock();
        let n_taken = n.min(sent.messages.len());
        to.extend(sent.messages.drain(..n_taken));
        self.n_sent.store(sent.messages.len(), Ordering::Relaxed);
        self.has_changed.notify_all();
    }

    /// Refuses further messages, and drops those that wait.
    pub(super) fn close(&self) {
        let mut sent = self.lock();
        sent.is_closed = true;
        let waiting = MessageList(take(&mut sent.messages.0));
        drop(sent);
        self.has_changed.notify_all();
        drop_caught(waiting);
    }
}

/// Sends messages from other threads. See [`Messages::sender`].
///
/// At most [`Messages::bound`] messages of all senders wait for the next run.
pub struct MessageSender<T> {
    name: Name,
    inbox: Arc<Inbox<T>>,
}

impl<T> MessageSender<T> {
    pub(super) fn new(name: Name, inbox: Arc<Inbox<T>>) -> Self {
        Self { name, inbox }
    }

    /// Sends a message. If too many messages wait, blocks until a run takes some. Messages of one thread stay in their order.
    ///
    /// Do not call it on the thread that runs the schedule: it could wait forever.
    ///
    /// # Errors
    ///
    /// Fails if the [`Messages`] were dropped. The error returns the message.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let is_full = |sent: &mut Sent<T>| !sent.is_closed && sent.messages.len() >= sent.bound;
        let sent = self
            .inbox
            .has_changed
            .wait_while(self.inbox.lock(), is_full);
        self.push(sent.unwrap_or_else(PoisonError::into_inner), message)
    }

    /// Sends a message, if not too many messages wait.
    ///
    /// # Errors
    ///
    /// Fails if too many messages wait, or if the [`Messages`] were dropped. The error returns the message.
    pub fn try_send(&self, message: T) -> Result<(), SendError<T>> {
        let sent = self.inbox.lock();
        if !sent.is_closed && sent.messages.len() >= sent.bound {
            let full = MessagesFull {
                messages: self.name,
                bound: sent.bound,
                n_unread: sent.messages.len(),
                n_new: 1,
                reader: None,
            };
            let reason = SendFailure::Full(full);
            return Err(SendError { message, reason });
        }
        self.push(sent, message)
    }

    fn push(&self, mut sent: MutexGuard<'_, Sent<T>>, message: T) -> Result<(), SendError<T>> {
        if sent.is_closed {
            let reason = SendFailure::Closed;
            return Err(SendError { message, reason });
        }
        sent.messages.push(message);
        self.inbox
            .n_sent
            .store(sent.messages.len(), Ordering::Relaxed);
        Ok(())
    }
}

impl<T> Clone for MessageSender<T> {
    fn clone(&self) -> Self {
        Self {
            name: self.name,
            inbox: Arc::clone(&self.inbox),
        }
    }
}

impl<T> fmt::Debug for MessageSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MessageSender({})", self.name)
    }
}

/// A message that cannot be sent, and the reason.
#[derive(PartialEq, Eq)]
#[non_exhaustive]
pub struct SendError<T> {
    /// The message.
    pub message: T,
    /// The reason.
    pub reason: SendFailure,
}

/// The reason why a message cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendFailure {
    /// Too many messages wait.
    Full(MessagesFull),
    /// The [`Messages`] were dropped.
    Closed,
}

impl<T> std::error::Error for SendError<T> {}

/// Without the message, which need not implement `Debug`.
impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<T> fmt::Display for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            SendFailure::Full(full) => full.fmt(f),
            SendFailure::Closed => f.write_str("the queue of the messages was dropped"),
        }
    }
}

/// Receives a clone of each message that is added after its creation, on another thread. See [`Messages::receiver`].
///
/// At most [`Messages::bound`] messages wait for it. A full receiver fails the writers, as a reader does. But the queue keeps its own messages
/// only for systems and cursors.
pub struct MessageReceiver<T> {
    shared: Arc<Received<T>>,
}

struct Received<T> {
    waiting: Mutex<ReceivedMessages<T>>,
    has_changed: Condvar,
    /// The largest number of messages that are kept. `None`: all, up to the bound.
    keep: Option<usize>,
}

struct ReceivedMessages<T> {
    messages: VecDeque<T>,
    n_missed: u64,
    is_closed: bool,
}

impl<T> Received<T> {
    fn lock(&self) -> MutexGuard<'_, ReceivedMessages<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Drop for ReceivedMessages<T> {
    fn drop(&mut self) {
        drop(MessageList(take(&mut self.messages).into()));
    }
}

impl<T: Clone + Send + 'static> MessageReceiver<T> {
    #[track_caller]
    pub(super) fn new(outlets: &mut Vec<Box<dyn Outlet<T>>>, keep: Option<usize>) -> Self {
        let shared = Arc::new(Received {
            waiting: Mutex::new(ReceivedMessages {
                messages: VecDeque::new(),
                n_missed: 0,
                is_closed: false,
            }),
            has_changed: Condvar::new(),
            keep,
        });
        outlets.push(Box::new(ReceiverOutlet {
            shared: Arc::clone(&shared),
            place: Arc::new(here("a receiver")),
        }));
        Self { shared }
    }
}

impl<T> MessageReceiver<T> {
    /// Returns the next message if one waits. If none waits, see [`is_closed`](Self::is_closed).
    pub fn try_receive(&mut self) -> Option<T> {
        self.shared.lock().messages.pop_front()
    }

    /// Waits for the next message. Returns `None` if none waits and the [`Messages`] were dropped.
    pub fn receive(&mut self) -> Option<T> {
        let is_waiting =
            |waiting: &mut ReceivedMessages<T>| waiting.messages.is_empty() && !waiting.is_closed;
        let woken = self
            .shared
            .has_changed
            .wait_while(self.shared.lock(), is_waiting);
        let mut waiting = woken.unwrap_or_else(PoisonError::into_inner);
        waiting.messages.pop_front()
    }

    /// Like [`receive`](Self::receive), but also returns `None` after this time without a message.
    pub fn receive_timeout(&mut self, timeout: Duration) -> Option<T> {
        let is_waiting =
            |waiting: &mut ReceivedMessages<T>| waiting.messages.is_empty() && !waiting.is_closed;
        let woken =
            self.shared
                .has_changed
                .wait_timeout_while(self.shared.lock(), timeout, is_waiting);
        let (mut waiting, _) = woken.unwrap_or_else(PoisonError::into_inner);
        waiting.messages.pop_front()
    }

    /// Whether no message waits and none will come, because the [`Messages`] were dropped.
    pub fn is_closed(&self) -> bool {
        let waiting = self.shared.lock();
        waiting.is_closed && waiting.messages.is_empty()
    }

    /// Returns the number of messages that [`Messages::receiver_of_latest`] dropped since the last call.
    pub fn take_missed(&mut self) -> u64 {
        take(&mut self.shared.lock().n_missed)
    }
}

impl<T> fmt::Debug for MessageReceiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "MessageReceiver({} wait)",
            self.shared.lock().messages.len()
        )
    }
}

/// The end of a [`MessageReceiver`] in the queue.
pub(super) trait Outlet<T>: Send + Sync {
    fn push(&self, messages: &[T]);

    /// Whether the messages are kept up to the bound.
    fn keeps_all(&self) -> bool;

    /// The number of messages that wait for the receiver.
    fn n_unread(&self) -> usize;

    /// Whether the receiver exists.
    fn is_open(&self) -> bool;

    /// Notes that no more messages come.
    fn close(&self);

    /// The place where the receiver was created.
    fn place(&self) -> &Arc<SystemPlace>;
}

struct ReceiverOutlet<T> {
    shared: Arc<Received<T>>,
    place: Arc<SystemPlace>,
}

impl<T: Clone + Send + 'static> Outlet<T> for ReceiverOutlet<T> {
    fn push(&self, messages: &[T]) {
        let keep = self.shared.keep.unwrap_or(usize::MAX);
        let n_skipped = messages.len().saturating_sub(keep);
        // Not under the lock, because `clone` is code of the program.
        let mut clones = MessageList(messages[n_skipped..].to_vec());
        let mut waiting = self.shared.lock();
        let n_too_many = (waiting.messages.len() + clones.len()).saturating_sub(keep);
        let missed = MessageList(waiting.messages.drain(..n_too_many).collect());
        waiting.n_missed += (n_skipped + n_too_many) as u64;
        waiting.messages.extend(clones.drain(..));
        drop(waiting);
        self.shared.has_changed.notify_all();
        drop(missed);
    }

    fn keeps_all(&self) -> bool {
        self.shared.keep.is_none()
    }

    fn n_unread(&self) -> usize {
        self.shared.lock().messages.len()
    }

    fn is_open(&self) -> bool {
        Arc::strong_count(&self.shared) > 1
    }

    fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.has_changed.notify_all();
    }

    fn place(&self) -> &Arc<SystemPlace> {
        &self.place
    }
}
