//! Readers and writers outside of systems, also on other threads.

use core::fmt;
use core::marker::PhantomData;
use core::panic::Location;
use core::sync::atomic::{AtomicUsize, Ordering};
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::cursor::Cursor;
use super::{Message, Messages, MessagesFull};
use crate::base::place::SystemPlace;
use crate::data::param::MessageReader;

/// A reader of [`Messages`] outside of systems. See [`Messages::cursor`].
pub struct MessageCursor<T> {
    cursor: Arc<Cursor>,
    messages_id: u64,
    messages: PhantomData<fn() -> T>,
}

impl<T: Message> MessageCursor<T> {
    #[track_caller]
    pub(super) fn new(messages: &Messages<T>, keep: Option<u64>) -> Self {
        let cursor = Arc::new(Cursor::new(keep));
        cursor.set_reader(Arc::new(here("a cursor")));
        messages.register(&cursor);
        Self {
            cursor,
            messages_id: messages.id(),
            messages: PhantomData,
        }
    }

    /// Returns the messages that this cursor has not returned before.
    ///
    /// If these are other messages than before, the cursor registers there, and begins with the first message that is kept.
    pub fn read<'m>(&mut self, messages: &'m Messages<T>) -> MessageReader<'m, T> {
        if self.messages_id != messages.id() {
            self.messages_id = messages.id();
            messages.register(&self.cursor);
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
}

struct Sent<T> {
    messages: VecDeque<T>,
    bound: usize,
    is_closed: bool,
}

impl<T: Message> Inbox<T> {
    pub(super) fn new(bound: usize) -> Self {
        Self {
            sent: Mutex::new(Sent {
                messages: VecDeque::new(),
                bound,
                is_closed: false,
            }),
            n_sent: AtomicUsize::new(0),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sent<T>> {
        self.sent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set_bound(&self, bound: usize) {
        self.lock().bound = bound;
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
    }

    pub(super) fn close(&self) {
        self.lock().is_closed = true;
    }
}

/// Sends messages from other threads. See [`Messages::sender`].
///
/// At most [`Messages::bound`] messages wait for the next run.
pub struct MessageSender<T> {
    inbox: Arc<Inbox<T>>,
}

impl<T: Message> MessageSender<T> {
    pub(super) fn new(inbox: Arc<Inbox<T>>) -> Self {
        Self { inbox }
    }

    /// Sends a message. Messages of one thread stay in their order.
    ///
    /// # Errors
    ///
    /// Fails if too many messages wait, or if the [`Messages`] were dropped. The error returns the message.
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        let mut sent = self.inbox.lock();
        if sent.is_closed {
            return Err(SendError {
                message,
                full: None,
            });
        }
        let (n_sent, bound) = (sent.messages.len(), sent.bound);
        if n_sent >= bound {
            let full = MessagesFull {
                messages: <Messages<T> as crate::Identity>::NAME,
                bound,
                n_unread: n_sent,
                reader: None,
            };
            return Err(SendError::full(message, full));
        }
        sent.messages.push_back(message);
        self.inbox.n_sent.store(n_sent + 1, Ordering::Relaxed);
        Ok(())
    }
}

impl<T> Clone for MessageSender<T> {
    fn clone(&self) -> Self {
        Self {
            inbox: Arc::clone(&self.inbox),
        }
    }
}

impl<T> fmt::Debug for MessageSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageSender")
    }
}

/// A message that cannot be sent, and the reason.
#[derive(PartialEq, Eq)]
#[non_exhaustive]
pub struct SendError<T> {
    /// The message.
    pub message: T,
    /// The full queue. `None` if the [`Messages`] were dropped.
    pub full: Option<MessagesFull>,
}

impl<T> SendError<T> {
    pub(super) fn full(message: T, full: MessagesFull) -> Self {
        Self {
            message,
            full: Some(full),
        }
    }
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
        match &self.full {
            Some(full) => full.fmt(f),
            None => f.write_str("the queue of the messages was dropped"),
        }
    }
}

/// Receives clones of all messages on another thread. See [`Messages::receiver`].
///
/// It counts as a reader: at most [`Messages::bound`] messages wait for it.
pub struct MessageReceiver<T> {
    shared: Arc<Received<T>>,
}

struct Received<T> {
    waiting: Mutex<Waiting<T>>,
    is_changed: Condvar,
}

struct Waiting<T> {
    messages: VecDeque<T>,
    is_closed: bool,
}

impl<T> Received<T> {
    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Message + Clone> MessageReceiver<T> {
    #[track_caller]
    pub(super) fn new(outlets: &mut Vec<Box<dyn Outlet<T>>>) -> Self {
        let shared = Arc::new(Received {
            waiting: Mutex::new(Waiting {
                messages: VecDeque::new(),
                is_closed: false,
            }),
            is_changed: Condvar::new(),
        });
        outlets.push(Box::new(ReceiverOutlet {
            shared: Arc::clone(&shared),
            place: Arc::new(here("a receiver")),
        }));
        Self { shared }
    }
}

impl<T> MessageReceiver<T> {
    /// Returns the next message if one waits.
    pub fn try_receive(&mut self) -> Option<T> {
        self.shared.lock().messages.pop_front()
    }

    /// Waits for the next message. Returns `None` if none waits and the [`Messages`] were dropped.
    pub fn receive(&mut self) -> Option<T> {
        let mut waiting = self.shared.lock();
        loop {
            if let Some(message) = waiting.messages.pop_front() {
                return Some(message);
            }
            if waiting.is_closed {
                return None;
            }
            let woken = self.shared.is_changed.wait(waiting);
            waiting = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Like [`receive`](Self::receive), but also returns `None` after this time without a message.
    pub fn receive_timeout(&mut self, timeout: Duration) -> Option<T> {
        let waiting = self.shared.lock();
        let is_waiting =
            |waiting: &mut Waiting<T>| waiting.messages.is_empty() && !waiting.is_closed;
        let woken = self
            .shared
            .is_changed
            .wait_timeout_while(waiting, timeout, is_waiting);
        let (mut waiting, _) = woken.unwrap_or_else(PoisonError::into_inner);
        waiting.messages.pop_front()
    }
}

impl<T> fmt::Debug for MessageReceiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MessageReceiver")
    }
}

/// The end of a [`MessageReceiver`] in the queue.
pub(super) trait Outlet<T>: Send + Sync {
    fn push(&self, messages: &[T]);

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

impl<T: Message + Clone> Outlet<T> for ReceiverOutlet<T> {
    fn push(&self, messages: &[T]) {
        self.shared.lock().messages.extend(messages.iter().cloned());
        self.shared.is_changed.notify_all();
    }

    fn n_unread(&self) -> usize {
        self.shared.lock().messages.len()
    }

    fn is_open(&self) -> bool {
        Arc::strong_count(&self.shared) > 1
    }

    fn close(&self) {
        self.shared.lock().is_closed = true;
        self.shared.is_changed.notify_all();
    }

    fn place(&self) -> &Arc<SystemPlace> {
        &self.place
    }
}
