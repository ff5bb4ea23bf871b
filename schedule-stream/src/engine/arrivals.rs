//! A channel of events from several producers.

use core::cell::{Cell, RefCell};
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use crate::base::position::Position;
use crate::engine::batches::MAX_OUTSIDE;
use crate::engine::ends::Input;
use crate::observe::meter::SubmitTime;
use schedule::internal::FirstPanic;

/// Creates a channel whose first event has this position: see [`Stream::arrivals`](crate::Stream::arrivals).
///
/// `is_behind`: see [`Queue::is_behind`].
pub(crate) fn arrivals<E>(
    stream: u64,
    capacity: usize,
    first: Position,
    is_behind: bool,
) -> (Producer<E>, Arrivals<E>) {
    let shared = Arc::new(Channel {
        id: next_id(),
        stream,
        capacity: capacity.max(1),
        queue: Mutex::new(Queue {
            events: VecDeque::new(),
            next: first,
            submitted: VecDeque::new(),
            ends: VecDeque::new(),
            n_producers: 1,
            is_ended: false,
            is_closed: false,
            dispatcher: None,
            reported: first.batch,
            n_pending: 0,
            is_behind,
        }),
        has_events: AtomicBool::new(false),
        has_room: Condvar::new(),
        has_reported: Condvar::new(),
    });
    let arrivals = Arrivals {
        taken: Taken {
            shared: Arc::clone(&shared),
            events: VecDeque::new(),
            next: first,
            submitted: VecDeque::new(),
            ends: VecDeque::new(),
            is_over: false,
        },
    };
    (Producer { shared }, arrivals)
}

/// Returns a number for a stream or a [`ProcessingScope`].
pub(crate) fn next_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    // Relaxed: only the number itself must be unique.
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

struct Channel<E> {
    id: u64,
    /// The id of the stream that created it.
    stream: u64,
    capacity: usize,
    queue: Mutex<Queue<E>>,
    /// Whether an event was not taken yet, or all producers were dropped. A hint: it may be late.
    has_events: AtomicBool,
    has_room: Condvar,
    /// Notified when all events of a batch are reported, and when the channel is closed.
    has_reported: Condvar,
}

struct Queue<E> {
    events: VecDeque<E>,
    /// The position of the next event that is pushed.
    next: Position,
    /// The batches and times of some events that were pushed.
    submitted: VecDeque<(u64, SubmitTime)>,
    /// The ends of batches that the stream has not reached: each the position after the last event of a batch.
    ends: VecDeque<Position>,
    n_producers: usize,
    /// Whether a producer has ended the stream, so that no more events are accepted.
    is_ended: bool,
    /// Whether `Arrivals` was dropped, or the stream has refused it.
    is_closed: bool,
    /// The thread that takes events.
    dispatcher: Option<Thread>,
    /// All events of all batches before this one are reported.
    reported: u64,
    /// Number of follow-up events that had not arrived at that time.
    n_pending: usize,
    /// Whether they were more than the budget of a batch. Then producers wait.
    is_behind: bool,
}

impl<E> Queue<E> {
    /// Returns whether no more events are accepted.
    fn is_over(&self) -> bool {
        self.is_ended || self.is_closed
    }

    /// Returns whether producers must wait.
    fn is_full(&self, capacity: usize) -> bool {
        (self.events.len() >= capacity || self.is_behind) && !self.is_over()
    }

    /// Ends the current batch, if it has events.
    fn end_batch(&mut self) {
        if self.next.index > 0 {
            self.ends.push_back(self.next);
            self.next = self.next.next_batch();
        }
    }
}

impl<E> Channel<E> {
    fn lock(&self) -> MutexGuard<'_, Queue<E>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the thread that takes events, if it waits.
    fn wake(&self, queue: &Queue<E>) {
        // Relaxed: the woken thread takes the lock.
        self.has_events.store(true, Ordering::Relaxed);
        if let Some(dispatcher) = &queue.dispatcher {
            dispatcher.unpark();
        }
    }
}

thread_local! {
    /// The id of the channel whose events this thread takes or processes. 0 if there is none.
    static HERE: Cell<u64> = const { Cell::new(0) };
    /// The ids of outer channels: this thread processes the inner channel within a handler of an outer one, or while it
    /// waits for an outer one.
    static AROUND: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// While it exists, this thread counts as processing the events of a channel or of a service.
pub(crate) struct ProcessingScope {
    before: u64,
    is_within: bool,
}

impl ProcessingScope {
    #[inline]
    pub(crate) fn new(id: u64) -> Self {
        let before = HERE.replace(id);
        let is_within = before != 0 && before != id;
        if is_within {
            AROUND.with_borrow_mut(|around| around.push(before));
        }
        Self { before, is_within }
    }

    pub(crate) fn has(id: u64) -> bool {
        HERE.get() == id || AROUND.with_borrow(|around| around.contains(&id))
    }
}

impl Drop for ProcessingScope {
    #[inline]
    fn drop(&mut self) {
        HERE.set(self.before);
        if self.is_within {
            AROUND.with_borrow_mut(Vec::pop);
        }
    }
}

/// Pushes events into a stream. Clones push into the same stream.
pub struct Producer<E> {
    shared: Arc<Channel<E>>,
}

impl<E> Producer<E> {
    /// Pushes an event, and blocks while the channel is full. Returns the position of the event.
    ///
    /// Also blocks while more follow-up events wait than [fit into a batch](crate::EventLimits::max_follow_ups).
    ///
    /// # Errors
    ///
    /// Fails if [`Arrivals`] was dropped, if [`Stream::process_arrivals`](crate::Stream::process_arrivals) has failed, or if
    /// [`end`](Self::end) was called. Also fails if this thread processes the same stream, for example inside a handler, because
    /// that could deadlock. A handler returns [`FollowUps`](crate::FollowUps) instead.
    pub fn push(&self, event: E) -> Result<Position, PushError<E>> {
        if ProcessingScope::has(self.shared.id) {
            return Err(PushError::Within(event));
        }
        let mut queue = self.shared.lock();
        while queue.is_full(self.shared.capacity) {
            let waited = self.shared.has_room.wait(queue);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
        }
        self.push_into(&mut queue, event)
    }

    /// Pushes an event, and fails if [`push`](Self::push) would block.
    ///
    /// # Errors
    ///
    /// As for `push`, and if it would block.
    pub fn try_push(&self, event: E) -> Result<Position, PushError<E>> {
        if ProcessingScope::has(self.shared.id) {
            return Err(PushError::Within(event));
        }
        let mut queue = self.shared.lock();
        if queue.is_full(self.shared.capacity) {
            return Err(PushError::Full(event));
        }
        self.push_into(&mut queue, event)
    }

    fn push_into(&self, queue: &mut Queue<E>, event: E) -> Result<Position, PushError<E>> {
        if queue.is_over() {
            return Err(PushError::Closed(event));
        }
        let position = queue.next;
        if SubmitTime::is_sampled(position.index) {
            let submitted = (position.batch, SubmitTime::now());
            queue.submitted.push_back(submitted);
        }
        queue.next.index += 1;
        if queue.next.index == MAX_OUTSIDE {
            queue.end_batch();
        }
        queue.events.push_back(event);
        if queue.events.len() == 1 {
            self.shared.wake(queue);
        }
        Ok(position)
    }

    /// Ends the current batch, and blocks until all events that were pushed before are processed and reported. Their
    /// follow-up events may be pending.
    ///
    /// ```
    /// use std::thread;
    /// use schedule::prelude::*;
    /// use schedule_stream::prelude::*;
    ///
    /// #[derive(Event)]
    /// #[event(ignore)]
    /// struct Ignored;
    ///
    /// #[handler]
    /// fn ignore(_: &Ignored) {}
    ///
    /// let mut stream = Stream::new();
    /// let (producer, mut arrivals) = stream.arrivals(64);
    /// thread::scope(|scope| {
    ///     scope.spawn(move || {
    ///         let first = producer.push(Ignored).unwrap();
    ///         producer.barrier().unwrap();
    ///         // Another batch begins after a barrier.
    ///         let second = producer.push(Ignored).unwrap();
    ///         assert!(first.batch < second.batch);
    ///     });
    ///     stream.process_arrivals(&mut Resources::new(), &mut arrivals, drop)
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if [`Arrivals`] is dropped or refused before that, or if this thread processes the same stream.
    pub fn barrier(&self) -> Result<(), PushError<()>> {
        self.wait_for(|queue, end| queue.reported >= end).map(drop)
    }

    /// Ends the current batch, and blocks until all events that were pushed before, their follow-up events, and the
    /// follow-up events of these are reported. Waits for at most `max_batches` further batches. Returns the number of
    /// follow-up events that are still pending.
    ///
    /// Events that other producers push meanwhile, and their follow-up events, count too.
    ///
    /// # Errors
    ///
    /// As for [`barrier`](Self::barrier).
    pub fn drain(&self, max_batches: u64) -> Result<usize, PushError<()>> {
        self.wait_for(|queue, end| {
            let is_last = queue.reported >= end.saturating_add(max_batches);
            queue.reported >= end && (queue.n_pending == 0 || is_last)
        })
    }

    /// Ends the current batch, and blocks until `is_done` returns true. The number is that of the batch after the last
    /// one that was pushed. Returns the number of pending follow-up events.
    fn wait_for(&self, is_done: impl Fn(&Queue<E>, u64) -> bool) -> Result<usize, PushError<()>> {
        if ProcessingScope::has(self.shared.id) {
            return Err(PushError::Within(()));
        }
        let mut queue = self.shared.lock();
        queue.end_batch();
        let end = queue.next.batch;
        loop {
            if is_done(&queue, end) {
                return Ok(queue.n_pending);
            }
            if queue.is_closed {
                return Err(PushError::Closed(()));
            }
            let waited = self.shared.has_reported.wait(queue);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the stream: no producer can push further events. The stream processes the events that were pushed before, and
    /// `process_arrivals` then returns.
    pub fn end(&self) {
        let mut queue = self.shared.lock();
        queue.is_ended = true;
        self.shared.wake(&queue);
        drop(queue);
        self.shared.has_room.notify_all();
    }
}

impl<E> Clone for Producer<E> {
    fn clone(&self) -> Self {
        self.shared.lock().n_producers += 1;
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<E> Drop for Producer<E> {
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.n_producers -= 1;
        if queue.n_producers == 0 {
            self.shared.wake(&queue);
        }
    }
}

impl<E> fmt::Debug for Producer<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Producer({})", self.shared.id)
    }
}

/// The reason why an event was not pushed. Contains the event.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PushError<E> {
    /// The channel is full, or more follow-up events wait than fit into a batch.
    Full(E),
    /// [`Arrivals`] was dropped, a producer has ended the stream, or
    /// [`Stream::process_arrivals`](crate::Stream::process_arrivals) has failed. So the event will not be processed.
    Closed(E),
    /// This thread processes the same stream.
    Within(E),
}

impl<E> PushError<E> {
    /// Returns the event.
    pub fn into_event(self) -> E {
        match self {
            PushError::Full(event) | PushError::Closed(event) | PushError::Within(event) => event,
        }
    }
}

impl<E> fmt::Display for PushError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushError::Full(_) => "the channel is full: push the event again later",
            PushError::Closed(_) => {
                "the channel is closed: its `Arrivals` was dropped, a producer has ended the stream, or `process_arrivals` has failed"
            }
            PushError::Within(_) => {
                "cannot push into a stream that this thread processes: return `FollowUps` from the handler"
            }
        })
    }
}

impl<E> fmt::Debug for PushError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PushError::Full(_) => "Full(..)",
            PushError::Closed(_) => "Closed(..)",
            PushError::Within(_) => "Within(..)",
        })
    }
}

impl<E> std::error::Error for PushError<E> {}

/// The receiving end of the channel: see [`Stream::arrivals`](crate::Stream::arrivals). After it is dropped, `push`
/// returns [`PushError::Closed`].
pub struct Arrivals<E> {
    pub(crate) taken: Taken<E>,
}

/// The receiving end of the queue.
pub(crate) struct Taken<E> {
    shared: Arc<Channel<E>>,
    /// Events that were taken from the queue together.
    events: VecDeque<E>,
    /// The position of the next event.
    next: Position,
    /// The batches and times of some events that are not reported.
    submitted: VecDeque<(u64, SubmitTime)>,
    /// The ends of batches, as in the queue.
    ends: VecDeque<Position>,
    /// Whether no more events can be pushed. Follow-up events may still arrive.
    is_over: bool,
}

impl<E> Arrivals<E> {
    /// Marks the calling thread as the one that processes the events.
    pub(crate) fn open(&self) -> ProcessingScope {
        let shared = &self.taken.shared;
        shared.lock().dispatcher = Some(thread::current());
        ProcessingScope::new(shared.id)
    }

    /// Notes whether more follow-up events wait than fit into a batch.
    pub(crate) fn set_behind(&mut self, is_behind: bool) {
        let (reported, n_pending) = {
            let queue = self.taken.shared.lock();
            (queue.reported, queue.n_pending)
        };
        let mut taken = &mut self.taken;
        Input::<E>::reported(&mut taken, reported, n_pending, is_behind);
    }

    pub(crate) fn id(&self) -> u64 {
        self.taken.shared.id
    }

    /// The id of the stream that created the channel.
    pub(crate) fn stream(&self) -> u64 {
        self.taken.shared.stream
    }

    /// Closes the channel. No producer waits any more. The events that were pushed remain.
    pub(crate) fn close(&self) {
        let shared = &self.taken.shared;
        let mut queue = shared.lock();
        (queue.is_ended, queue.is_closed) = (true, true);
        shared.wake(&queue);
        drop(queue);
        shared.has_room.notify_all();
        shared.has_reported.notify_all();
    }

    /// Returns the position of the next event.
    pub(crate) fn next_position(&self) -> Position {
        self.taken.next
    }
}

impl<E> Taken<E> {
    /// Takes all events and ends of batches from the queue.
    fn take_all(&mut self, queue: &mut Queue<E>) {
        core::mem::swap(&mut queue.events, &mut self.events);
        self.submitted.append(&mut queue.submitted);
        self.ends.append(&mut queue.ends);
        self.is_over = queue.n_producers == 0 || queue.is_ended;
        // Relaxed: all stores to it are made under the lock.
        self.shared.has_events.store(false, Ordering::Relaxed);
    }

    /// Returns whether the batch ends before the next event.
    fn is_at_end(&self) -> bool {
        self.ends.front() == Some(&self.next)
    }
}

impl<E> Input<E> for &mut Taken<E> {
    fn next(&mut self) -> Option<E> {
        if self.is_at_end() {
            return None;
        }
        if self.events.is_empty() && self.has_more() {
            let shared = Arc::clone(&self.shared);
            self.take_all(&mut shared.lock());
            shared.has_room.notify_all();
            if self.is_at_end() {
                return None;
            }
        }
        let event = self.events.pop_front()?;
        self.next.index += 1;
        Some(event)
    }

    fn is_over(&self) -> bool {
        self.is_over && self.events.is_empty()
    }

    fn end_batch(&mut self) -> bool {
        if !self.is_at_end() {
            if !self.events.is_empty() {
                return false;
            }
            let shared = Arc::clone(&self.shared);
            let mut queue = shared.lock();
            if !queue.events.is_empty() || !queue.ends.is_empty() {
                self.take_all(&mut queue);
                drop(queue);
                shared.has_room.notify_all();
                return self.is_at_end() && self.end_batch();
            }
            // No event waits, so the next one will be the first of the next batch.
            queue.next = queue.next.next_batch();
            self.next = queue.next;
            return true;
        }
        self.ends.pop_front();
        self.next = self.next.next_batch();
        true
    }

    fn reported(&mut self, batch: u64, n_pending: usize, is_behind: bool) {
        let mut queue = self.shared.lock();
        (queue.reported, queue.n_pending) = (batch, n_pending);
        let may_push = queue.is_behind && !is_behind;
        queue.is_behind = is_behind;
        drop(queue);
        self.shared.has_reported.notify_all();
        if may_push {
            self.shared.has_room.notify_all();
        }
    }

    fn has_more(&self) -> bool {
        // Relaxed: a thread that misses the store is woken.
        self.shared.has_events.load(Ordering::Relaxed)
    }

    fn n_waiting(&self) -> Option<usize> {
        Some(self.events.len() + self.shared.lock().events.len())
    }

    fn submissions(&mut self, before: u64, note: &mut dyn FnMut(u64, SubmitTime)) {
        while let Some((batch, time)) = self.submitted.front()
            && *batch < before
        {
            note(*batch, *time);
            self.submitted.pop_front();
        }
    }
}

impl<E> Drop for Arrivals<E> {
    fn drop(&mut self) {
        let shared = &self.taken.shared;
        let mut queue = shared.lock();
        queue.is_closed = true;
        let never_taken = core::mem::take(&mut queue.events);
        drop(queue);
        shared.has_room.notify_all();
        shared.has_reported.notify_all();
        // Drop events after the queue is unlocked: an event may own a producer.
        let mut panics = FirstPanic::default();
        panics.drop_each(core::mem::take(&mut self.taken.events));
        panics.drop_each(never_taken);
        panics.resume_from_drop();
    }
}

impl<E> fmt::Debug for Arrivals<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Arrivals({})", self.id())
    }
}
