//! The queue of all messages of a type.

use core::fmt;
use core::mem::{swap, take};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::cursor::ReaderCursor;
use super::list::{MessageList, clear};
use super::outside::{
    Inbox, MessageCursor, MessageReceiver, MessageSender, Outlet, SendError, SendFailure,
};
use super::{Message, MessagesFull, Unread, UnreadRange};
use crate::base::identity::{Argument, Identity, Name, Usage, declared_here, mix};
use crate::base::panics::{FirstPanic, drop_caught};
use crate::base::place::SystemPlace;
use crate::data::resource::{Resource, Resources};

/// Consecutive messages.
pub(super) struct MessageBatch<T> {
    /// The position of the first message. Positions count all messages that were ever appended.
    pub(super) start: u64,
    /// Not empty.
    pub(super) messages: Vec<T>,
}

/// The messages of a type, as a resource: a queue with a position for each reader.
///
/// Systems write with a [`MessageWriter`](crate::param::MessageWriter), and read with a
/// [`MessageReader`](crate::param::MessageReader). The messages of a run are in the order of its writing systems in a serial run. A message
/// stays until each reader that is enabled has seen it, also if readers are in schedules that run at different rates.
///
/// # Registration
///
/// A reader registers at the start of the first run of its schedule, and sees all messages that another reader has not seen. To begin
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
pub struct Messages<T> {
    /// The name of the queue, for errors. The type has no bound, so that the compiler reports a type that is not a message once.
    name: Name,
    /// Differs between all messages of the program. Never 0.
    id: u64,
    pub(super) queue: VecDeque<MessageBatch<T>>,
    /// The position of the first kept message.
    pub(super) first: u64,
    /// The position after the last message.
    pub(super) end: u64,
    pub(super) bound: usize,
    /// The number of messages that were dropped while no reader was registered.
    pub(super) n_dropped: u64,
    /// The number of readers of systems that were registered when the messages were saved, and are not yet registered again. All messages
    /// are kept for them, up to the bound.
    pub(super) n_awaited: AtomicU64,
    /// The registered readers. A mutex, because readers with a shared reference may register.
    cursors: Mutex<Vec<Arc<ReaderCursor>>>,
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
            name: <Self as Identity>::NAME,
            id: next_id(),
            queue: VecDeque::new(),
            first: 0,
            end: 0,
            bound: Self::DEFAULT_BOUND,
            n_dropped: 0,
            n_awaited: AtomicU64::new(0),
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

    /// Returns the queue in resources. Does not count as a write.
    pub(crate) fn find(resources: &mut Resources) -> Option<&mut Self> {
        resources.get_mut_unnoted()
    }

    /// Prepares the queue in resources and the list of a writer for a run, after all readers of the schedule are registered.
    ///
    /// A list without memory gets that of messages that all readers have seen. So a run writes into the memory that the last one has read,
    /// which is in the cache.
    pub(crate) fn begin_writing_in(resources: &mut Resources, list: &mut Vec<T>) {
        Self::begin_run_in(resources);
        if list.capacity() == 0
            && let Some(messages) = Self::find(resources)
        {
            *list = messages.take_spare();
        }
    }

    /// Prepares the queue in resources for a run, after all readers of the schedule are registered.
    pub(crate) fn begin_run_in(resources: &mut Resources) {
        let Some(messages) = Self::find(resources) else {
            return;
        };
        let end = messages.end;
        messages.begin_run();
        if messages.end != end {
            // Messages of other threads count as a write.
            resources.get_mut::<Self>();
        }
    }
}

impl<T> Messages<T> {
    /// Returns the maximum number of messages that a reader may have unread.
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// Sets the maximum number of messages that a reader may have unread. The call itself drops no message.
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
        if let Err(full) = self.room(1) {
            return Err(SendError {
                message,
                reason: SendFailure::Full(full),
            });
        }
        let mut list = MessageList(self.take_spare());
        list.push(message);
        self.push(&mut list);
        self.keep_spare(take(&mut list.0));
        Ok(())
    }

    /// Returns the number of messages that at least one enabled reader has not seen. While no reader is registered, this is the number
    /// of all kept messages.
    /// O(readers).
    pub fn len(&self) -> usize {
        (self.end - self.oldest(&self.lock_cursors())) as usize
    }

    /// Whether [`len`](Self::len) is 0.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of messages that were dropped at the bound while no reader was registered.
    pub fn n_dropped(&self) -> u64 {
        self.n_dropped
    }

    /// Drops all messages. Readers that have not seen them count them as [missed](crate::param::MessageReader::n_missed).
    pub fn clear(&mut self) {
        let end = self.end;
        for cursor in self.live_cursors() {
            cursor.miss_before(end);
        }
        let mut panics = FirstPanic::default();
        self.drop_before(end, &mut panics);
        panics.resume();
    }

    /// Adds the messages that other threads have sent, as long as the queue is not full. The others stay with the senders.
    ///
    /// A run does this at its start. To record these messages as an input of a run, call it before the run.
    pub fn take_sent(&mut self) {
        if self.inbox.is_empty() {
            return;
        }
        let (n_unread, _) = self.n_unread();
        let mut sent = MessageList(self.take_spare());
        self.inbox
            .take(self.bound.saturating_sub(n_unread), &mut sent);
        self.push(&mut sent);
        self.keep_spare(take(&mut sent.0));
    }

    /// Creates a reader outside of systems. It sees all messages that another reader has not seen, and is registered until it is dropped.
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
        MessageSender::new(self.name, Arc::clone(&self.inbox))
    }

    /// Creates a receiver for another thread, which gets a clone of each message that is added from now on.
    #[track_caller]
    pub fn receiver(&mut self) -> MessageReceiver<T>
    where
        T: Clone + Send + 'static,
    {
        MessageReceiver::new(&mut self.outlets, None)
    }

    /// Creates a receiver for another thread, for which the latest `n` messages are kept. See [`receiver`](Self::receiver).
    ///
    /// # Panics
    ///
    /// Panics if `n` is 0.
    #[track_caller]
    pub fn receiver_of_latest(&mut self, n: usize) -> MessageReceiver<T>
    where
        T: Clone + Send + 'static,
    {
        assert!(n > 0, "a receiver must keep at least 1 message");
        MessageReceiver::new(&mut self.outlets, Some(n))
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Registers a reader at the oldest message that is unread, or at its position in a saved state, with the number of missed messages.
    pub(crate) fn register(&self, cursor: &Arc<ReaderCursor>, saved: Option<(u64, u64)>) {
        let mut cursors = self.lock_cursors();
        let is_known = cursors.iter().any(|known| Arc::ptr_eq(known, cursor));
        let oldest = self.oldest(&cursors);
        if !is_known && cursor.is_of_system() && saved.is_some() {
            // Relaxed: the lock orders all registrations.
            let n_awaited = self.n_awaited.load(Ordering::Relaxed);
            self.n_awaited
                .store(n_awaited.saturating_sub(1), Ordering::Relaxed);
        }
        match saved {
            // A greater position is one of other messages.
            Some((position, n_missed)) if position <= self.end => {
                cursor.begin(position, n_missed);
                cursor.miss_before(self.first);
            }
            _ => cursor.begin(oldest, 0),
        }
        cursor.limit(self.end);
        if !is_known {
            cursors.push(Arc::clone(cursor));
        }
    }

    /// The position of the oldest message that a reader has not seen, or of the first kept message if no reader is registered.
    pub(super) fn oldest(&self, cursors: &[Arc<ReaderCursor>]) -> u64 {
        if self.n_awaited.load(Ordering::Relaxed) > 0 {
            return self.first;
        }
        let cursors = cursors
            .iter()
            .filter(|cursor| Arc::strong_count(cursor) > 1);
        let mut oldest = None;
        for cursor in cursors {
            let position = if cursor.is_enabled() {
                cursor.position().clamp(self.first, self.end)
            } else {
                self.end
            };
            oldest = Some(oldest.map_or(position, |oldest: u64| oldest.min(position)));
        }
        oldest.unwrap_or(self.first)
    }

    /// Returns the messages that a reader has not seen, and moves its position to the end.
    pub(crate) fn take_unread(&self, cursor: &ReaderCursor) -> UnreadRange {
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

    /// Drops the messages that all readers have seen, and adds those that other threads have sent. At the start of a run, after all readers
    /// of the schedule are registered.
    fn begin_run(&mut self) {
        if self.first < self.end {
            let mut panics = FirstPanic::default();
            self.prune(self.end, &mut panics);
            // A run does not panic. The panic hook has reported the panic.
            drop_caught(panics.into_payload());
        }
        self.take_sent();
    }

    /// The largest number of unread messages of a reader that keeps all, and the reader.
    fn n_unread(&mut self) -> (usize, Option<Arc<SystemPlace>>) {
        self.outlets.retain(|outlet| outlet.is_open());
        let mut n_most = 0;
        let mut slowest = None;
        for outlet in self.outlets.iter().filter(|outlet| outlet.keeps_all()) {
            let n_unread = outlet.n_unread();
            if n_unread > n_most {
                n_most = n_unread;
                slowest = Some(Arc::clone(outlet.place()));
            }
        }
        let (first, end) = (self.first, self.end);
        for cursor in self.live_cursors() {
            let n_unread = (end - cursor.position().clamp(first, end)) as usize;
            if cursor.is_enabled() && cursor.keeps_all() && n_unread > n_most {
                n_most = n_unread;
                slowest = Some(Arc::clone(cursor.reader()));
            }
        }
        (n_most, slowest)
    }

    /// Fails if `n_new` more messages would exceed the bound.
    fn room(&mut self, n_new: usize) -> Result<(), MessagesFull> {
        let n_kept = (self.end - self.first) as usize;
        if n_kept + n_new <= self.bound && self.outlets.is_empty() {
            return Ok(());
        }
        let (n_unread, reader) = self.n_unread();
        if n_unread + n_new <= self.bound {
            return Ok(());
        }
        Err(MessagesFull {
            messages: self.name,
            bound: self.bound,
            n_unread,
            n_new,
            reader,
        })
    }

    /// Adds messages, after dropping those that all readers have seen.
    fn push(&mut self, messages: &mut Vec<T>) {
        let n_new = messages.len();
        let end = self.end + n_new as u64;
        // A reader of the latest messages has seen, or misses, those that are dropped here.
        let mut panics = FirstPanic::default();
        self.prune(end, &mut panics);
        if n_new > 0 {
            self.outlets.retain(|outlet| outlet.is_open());
            for outlet in &self.outlets {
                panics.call(|| outlet.push(messages));
            }
            match self.queue.back_mut() {
                Some(last) if n_new <= N_MOVED && last.messages.len() < N_PER_BATCH => {
                    last.messages.append(messages);
                }
                _ => {
                    let mut list = self.take_spare();
                    swap(&mut list, messages);
                    self.queue.push_back(MessageBatch {
                        start: self.end,
                        messages: list,
                    });
                }
            }
            self.end = end;
        }
        panics.resume();
    }

    /// Drops the messages that all readers have seen. `end`: the position after those that are added next.
    fn prune(&mut self, end: u64, panics: &mut FirstPanic) {
        let bound = self.bound as u64;
        let cursors = self.live_cursors();
        let mut are_any = !cursors.is_empty();
        for cursor in cursors {
            cursor.limit(end);
        }
        are_any &= self.n_awaited.load(Ordering::Relaxed) == 0;
        let oldest = self.oldest(&self.lock_cursors());
        let first = if are_any {
            oldest
        } else {
            let first = end.saturating_sub(bound).clamp(self.first, self.end);
            self.n_dropped += first - self.first;
            first
        };
        self.drop_before(first, panics);
    }

    /// Drops the batches whose messages are all before a position.
    fn drop_before(&mut self, position: u64, panics: &mut FirstPanic) {
        self.first = self.first.max(position);
        while let Some(batch) = self.queue.front() {
            if batch.start + batch.messages.len() as u64 > position {
                break;
            }
            let batch = self.queue.pop_front();
            let mut list = batch.map_or_else(Vec::new, |batch| batch.messages);
            clear(&mut list, panics);
            self.keep_spare(list);
        }
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
    pub(super) fn live_cursors(&mut self) -> &Vec<Arc<ReaderCursor>> {
        let cursors = self
            .cursors
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        cursors.retain(|cursor| Arc::strong_count(cursor) > 1);
        cursors
    }

    pub(super) fn lock_cursors(&self) -> MutexGuard<'_, Vec<Arc<ReaderCursor>>> {
        self.cursors.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a number that was not returned before. Never 0.
fn next_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    // Relaxed: only the number itself must be unique.
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

impl<T: Message> Default for Messages<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Drop for Messages<T> {
    fn drop(&mut self) {
        self.inbox.close();
        for outlet in &self.outlets {
            outlet.close();
        }
        let mut panics = FirstPanic::default();
        for mut batch in take(&mut self.queue) {
            clear(&mut batch.messages, &mut panics);
        }
        panics.resume_from_drop();
    }
}

impl<T> fmt::Debug for Messages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({} kept)", self.name, self.len())
    }
}

#[cfg(test)]
mod tests;
