//! The queue of all messages of a type.

use core::fmt;
use core::mem::{needs_drop, swap, take};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cursor::Cursor;
use super::outside::{Inbox, MessageCursor, MessageReceiver, MessageSender, Outlet, SendError};
use super::{Message, MessagesFull, Unread, UnreadRange};
use crate::base::identity::{Argument, Identity, Name, Usage, declared_here, mix};
use crate::base::panics::FirstPanic;
use crate::base::place::SystemPlace;
use crate::data::resource::Resource;

/// Consecutive messages.
pub(super) struct Batch<T> {
    /// The position of the first message. Positions count all messages that were ever appended.
    pub(super) start: u64,
    /// Not empty.
    pub(super) messages: Vec<T>,
}

/// The messages of a type, as a resource: a queue with a position for each reader.
///
/// Systems do not take it as a parameter. They write with a [`MessageWriter`](crate::param::MessageWriter), and read with a
/// [`MessageReader`](crate::param::MessageReader). The messages of a run are in the order of its writing systems in a serial run. A message
/// stays until each reader that is enabled has seen it, also if readers are in schedules that run at different rates.
///
/// # Registration
///
/// A reader registers at the start of the first run of its schedule, and sees all messages that are still kept at this time. To begin
/// earlier, run the schedule once. It unregisters when its schedule is dropped. While no reader is registered, the queue keeps the
/// latest [`bound`](Self::bound) messages.
///
/// # Bound
///
/// A reader has at most [`bound`](Self::bound) unread messages. If the messages of a system would exceed the bound, they are dropped as a
/// whole, and the system fails with [`Cause::Full`](crate::error::Cause::Full), which names the reader. A reader with
/// [`KeepLatest`](super::KeepLatest) misses the oldest messages instead.
///
/// # Outside of systems
///
/// Between runs, or in an exclusive system, the program sends with [`send`](Self::send) and reads with a [`cursor`](Self::cursor). Other
/// threads use a [`sender`](Self::sender) and a [`receiver`](Self::receiver).
///
/// ```
/// use schedule::prelude::*;
///
/// #[derive(Message, Debug, PartialEq)]
/// struct Key(char);
///
/// #[system]
/// fn echo(mut keys: MessageWriter<Key>) {
///     keys.write(Key('b'));
/// }
///
/// let mut keys = Messages::new();
/// keys.send(Key('a'))?;
/// let mut cursor = keys.cursor();
/// let mut resources = Resources::new();
/// resources.insert(keys);
/// Schedule::builder().add::<echo>().build()?.run(&mut resources)?;
///
/// let keys = resources.get::<Messages<Key>>().unwrap();
/// assert!(cursor.read(keys).iter().eq([&Key('a'), &Key('b')]));
/// assert!(cursor.read(keys).is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Messages<T: Message> {
    /// Differs between all messages of the program. Never 0.
    id: u64,
    queue: VecDeque<Batch<T>>,
    /// The position of the first kept message.
    first: u64,
    /// The position after the last message.
    end: u64,
    bound: usize,
    /// The number of messages that were dropped while no reader was registered.
    n_dropped: u64,
    /// The registered readers. A mutex, because readers with a shared reference may register.
    cursors: Mutex<Vec<Arc<Cursor>>>,
    inbox: Arc<Inbox<T>>,
    outlets: Vec<Box<dyn Outlet<T>>>,
    /// Empty lists, whose memory is used again.
    spare: Vec<Vec<T>>,
}

/// The maximum number of messages that are moved into the last batch. The list of more messages becomes a batch of its own.
const N_MOVED: usize = 256;

/// The number of messages from which on a batch gets no more.
const N_PER_BATCH: usize = 4096;

/// The maximum number of lists whose memory is kept.
const N_SPARE: usize = 64;

impl<T: Message> Identity for Messages<T> {
    const ID: u128 = mix(declared_here(module_path!(), "Messages"), T::ID);
    const NAME: Name =
        Name::generic("Messages", &[Argument::Type(T::NAME)]).used_as(&Usage::Messages);
}

impl<T: Message> Resource for Messages<T> {}

impl<T: Message> Messages<T> {
    /// The [`bound`](Self::bound) of a new queue: 1,048,576.
    pub const DEFAULT_BOUND: usize = 1 << 20;

    /// Creates a queue without messages.
    pub fn new() -> Self {
        Self {
            id: next_id(),
            queue: VecDeque::new(),
            first: 0,
            end: 0,
            bound: Self::DEFAULT_BOUND,
            n_dropped: 0,
            cursors: Mutex::default(),
            inbox: Arc::new(Inbox::new(Self::DEFAULT_BOUND)),
            outlets: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Creates a queue without messages and with this [`bound`](Self::bound).
    ///
    /// # Panics
    ///
    /// Panics if the bound is 0.
    pub fn with_bound(bound: usize) -> Self {
        let mut messages = Self::new();
        messages.set_bound(bound);
        messages
    }

    /// Returns the maximum number of messages that a reader may have unread.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// Sets the maximum number of messages that a reader may have unread. No message is dropped.
    ///
    /// # Panics
    ///
    /// Panics if the bound is 0.
    pub fn set_bound(&mut self, bound: usize) {
        assert!(bound > 0, "a queue of messages cannot have a bound of 0");
        self.bound = bound;
        self.inbox.set_bound(bound);
    }

    /// Adds a message. Readers see it after those that were sent or joined earlier.
    ///
    /// # Errors
    ///
    /// Fails if the queue is full. The error returns the message.
    pub fn send(&mut self, message: T) -> Result<(), SendError<T>> {
        match self.room(1) {
            Err(full) => Err(SendError::full(message, full)),
            Ok(()) => {
                let mut list = self.take_spare();
                list.push(message);
                self.push(&mut list);
                self.keep_spare(list);
                Ok(())
            }
        }
    }

    /// Returns the number of messages that are kept, because a reader has not seen them.
    pub fn len(&self) -> usize {
        (self.end - self.first) as usize
    }

    /// Whether no message is kept.
    pub fn is_empty(&self) -> bool {
        self.first == self.end
    }

    /// Returns the number of messages that were dropped at the bound while no reader was registered.
    pub fn n_dropped(&self) -> u64 {
        self.n_dropped
    }

    /// Drops all messages that are kept. Readers that have not seen them count them as [missed](crate::param::MessageReader::n_missed).
    pub fn clear(&mut self) {
        let end = self.end;
        for cursor in self.live_cursors() {
            cursor.miss_before(end);
        }
        self.drop_before(end);
    }

    /// Creates a reader outside of systems. It sees all messages that are kept now, and is registered until it is dropped.
    #[track_caller]
    pub fn cursor(&self) -> MessageCursor<T> {
        MessageCursor::new(self, None)
    }

    /// Creates a reader outside of systems, for which the latest `n` unread messages are kept. See [`cursor`](Self::cursor).
    ///
    /// # Panics
    ///
    /// Panics if `n` is 0.
    #[track_caller]
    pub fn cursor_of_latest(&self, n: usize) -> MessageCursor<T> {
        assert!(n > 0, "a cursor must keep at least 1 message");
        MessageCursor::new(self, Some(n as u64))
    }

    /// Creates a sender for other threads. Its messages are added at the start of the next run of a schedule that reads or writes these
    /// messages, before those of the run.
    pub fn sender(&self) -> MessageSender<T> {
        MessageSender::new(Arc::clone(&self.inbox))
    }

    /// Creates a receiver for another thread, which gets a clone of each message that is added from now on.
    #[track_caller]
    pub fn receiver(&mut self) -> MessageReceiver<T>
    where
        T: Clone,
    {
        MessageReceiver::new(&mut self.outlets)
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Registers a reader at the first kept message, or at its position from a saved state.
    pub(crate) fn register(&self, cursor: &Arc<Cursor>) {
        cursor.begin(self.first, self.end);
        let mut cursors = self.lock_cursors();
        if !cursors.iter().any(|known| Arc::ptr_eq(known, cursor)) {
            cursors.push(Arc::clone(cursor));
        }
    }

    /// Returns the messages that a reader has not seen, and moves its position to the end.
    pub(crate) fn take_unread(&self, cursor: &Cursor) -> UnreadRange {
        cursor.miss_before(self.first);
        let position = cursor.position().min(self.end);
        cursor.set_position(self.end);
        UnreadRange {
            position,
            len: (self.end - position) as usize,
            n_missed: cursor.take_missed(),
        }
    }

    /// The messages in a range that are still kept.
    pub(crate) fn unread(&self, range: UnreadRange) -> Unread<'_, T> {
        let position = range.position.max(self.first);
        let end = range.position + range.len as u64;
        let len = end.min(self.end).saturating_sub(position);
        Unread::of_queue(&self.queue, position, len as usize)
    }

    /// Adds the messages of a system, and leaves an empty list.
    ///
    /// # Errors
    ///
    /// Fails if they exceed the bound. Then the list is unchanged.
    pub(crate) fn append(&mut self, messages: &mut Vec<T>) -> Result<(), MessagesFull> {
        self.room(messages.len())?;
        self.push(messages);
        Ok(())
    }

    /// Adds the messages that other threads have sent, as long as the queue is not full. The others stay with the senders.
    pub(crate) fn take_sent(&mut self) {
        if self.inbox.is_empty() {
            return;
        }
        let (n_unread, _) = self.n_unread();
        let mut sent = self.take_spare();
        self.inbox
            .take(self.bound.saturating_sub(n_unread), &mut sent);
        self.push(&mut sent);
        self.keep_spare(sent);
    }

    /// The largest number of unread messages of a reader that keeps all, and the reader.
    fn n_unread(&mut self) -> (usize, Option<Arc<SystemPlace>>) {
        self.outlets.retain(|outlet| outlet.is_open());
        let mut n_most = 0;
        let mut slowest = None;
        for outlet in &self.outlets {
            let n_unread = outlet.n_unread();
            if n_unread > n_most {
                n_most = n_unread;
                slowest = Some(Arc::clone(outlet.place()));
            }
        }
        let end = self.end;
        let mut behind = None;
        for cursor in self.live_cursors() {
            let n_unread = (end - cursor.position().min(end)) as usize;
            if cursor.is_enabled() && cursor.keeps_all() && n_unread > n_most {
                n_most = n_unread;
                behind = Some(Arc::clone(cursor));
            }
        }
        let slowest = behind.map_or(slowest, |cursor| cursor.reader());
        (n_most, slowest)
    }

    /// Checks that so many more messages do not exceed the bound.
    fn room(&mut self, n_more: usize) -> Result<(), MessagesFull> {
        // Messages that are kept for no reader leave room.
        if n_more <= self.bound && self.len() + n_more <= self.bound && self.outlets.is_empty() {
            return Ok(());
        }
        let (n_unread, reader) = self.n_unread();
        if n_unread + n_more <= self.bound {
            return Ok(());
        }
        Err(MessagesFull {
            messages: <Self as Identity>::NAME,
            bound: self.bound,
            n_unread,
            reader,
        })
    }

    /// Adds messages, and drops those that no reader needs.
    fn push(&mut self, messages: &mut Vec<T>) {
        let n_more = messages.len();
        if n_more > 0 {
            for outlet in &self.outlets {
                outlet.push(messages);
            }
            match self.queue.back_mut() {
                Some(last) if n_more <= N_MOVED && last.messages.len() < N_PER_BATCH => {
                    last.messages.append(messages);
                }
                _ => {
                    let mut list = self.take_spare();
                    swap(&mut list, messages);
                    self.queue.push_back(Batch {
                        start: self.end,
                        messages: list,
                    });
                }
            }
            self.end += n_more as u64;
        }
        self.prune();
    }

    /// Drops the messages that all readers have seen.
    fn prune(&mut self) {
        let end = self.end;
        let mut oldest = None;
        for cursor in self.live_cursors() {
            cursor.limit(end);
            if cursor.is_enabled() {
                let position = cursor.position().min(end);
                oldest = Some(oldest.map_or(position, |oldest: u64| oldest.min(position)));
            }
        }
        match oldest {
            Some(oldest) => self.drop_before(oldest),
            None => {
                let first = end.saturating_sub(self.bound as u64).max(self.first);
                self.n_dropped += first - self.first;
                self.drop_before(first);
            }
        }
    }

    /// Drops the batches whose messages are all before a position.
    fn drop_before(&mut self, position: u64) {
        self.first = self.first.max(position);
        let mut panics = FirstPanic::default();
        while let Some(batch) = self.queue.front() {
            if batch.start + batch.messages.len() as u64 > position {
                break;
            }
            let mut list = self
                .queue
                .pop_front()
                .map_or_else(Vec::new, |batch| batch.messages);
            clear(&mut list, &mut panics);
            self.keep_spare(list);
        }
        panics.resume();
    }

    fn take_spare(&mut self) -> Vec<T> {
        self.spare.pop().unwrap_or_default()
    }

    fn keep_spare(&mut self, list: Vec<T>) {
        if list.capacity() > 0 && self.spare.len() < N_SPARE {
            self.spare.push(list);
        }
    }

    /// The readers that are registered and not dropped.
    fn live_cursors(&mut self) -> &Vec<Arc<Cursor>> {
        let cursors = self
            .cursors
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        cursors.retain(|cursor| Arc::strong_count(cursor) > 1);
        cursors
    }

    fn lock_cursors(&self) -> MutexGuard<'_, Vec<Arc<Cursor>>> {
        self.cursors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The saved part of a queue.
#[cfg(feature = "snapshot")]
pub(super) struct SavedQueue<T> {
    pub(super) first: u64,
    pub(super) end: u64,
    pub(super) bound: u64,
    pub(super) n_dropped: u64,
    pub(super) messages: Vec<T>,
}

#[cfg(feature = "snapshot")]
impl<T: Message> Messages<T> {
    pub(super) fn kept(&self) -> Unread<'_, T> {
        Unread::of_queue(&self.queue, self.first, self.len())
    }

    pub(super) fn positions(&self) -> (u64, u64, u64, u64) {
        (self.first, self.end, self.bound as u64, self.n_dropped)
    }

    /// Replaces the messages. Readers, senders and receivers stay. A reader whose position is not restored sees all restored messages.
    pub(super) fn replace(&mut self, saved: SavedQueue<T>) {
        let mut panics = FirstPanic::default();
        for batch in take(&mut self.queue) {
            panics.drop_each(batch.messages);
        }
        self.first = saved.first;
        self.end = saved.end;
        self.n_dropped = saved.n_dropped;
        self.set_bound((saved.bound as usize).max(1));
        if !saved.messages.is_empty() {
            self.queue.push_back(Batch {
                start: saved.first,
                messages: saved.messages,
            });
        }
        // The readers of systems register again.
        self.id = next_id();
        let (first, end) = (self.first, self.end);
        for cursor in self.live_cursors() {
            if !cursor.is_restored() {
                cursor.begin(first, end);
            }
        }
        panics.resume();
    }
}

/// Returns a number that was not returned before. Never 0.
fn next_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    // Relaxed: only the number itself must be unique.
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// Drops all messages of a list, each on its own.
fn clear<T>(list: &mut Vec<T>, panics: &mut FirstPanic) {
    if needs_drop::<T>() {
        panics.drop_each(list.drain(..));
    } else {
        list.clear();
    }
}

impl<T: Message> Default for Messages<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Message> Drop for Messages<T> {
    fn drop(&mut self) {
        self.inbox.close();
        for outlet in &self.outlets {
            outlet.close();
        }
        if needs_drop::<T>() {
            let mut panics = FirstPanic::default();
            for batch in take(&mut self.queue) {
                panics.drop_each(batch.messages);
            }
            panics.resume_from_drop();
        }
    }
}

impl<T: Message> fmt::Debug for Messages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({} kept)", Self::NAME, self.len())
    }
}

#[cfg(test)]
mod tests;
