//! A channel of events from several producers.

use core::cell::{Cell, RefCell};
use core::fmt;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};

use super::traffic::Input;
use schedule::internal::FirstPanic;

/// Creates a bounded channel: producers on any number of threads push events, and
/// [`Stream::process_arrivals`](super::Stream::process_arrivals) processes them.
///
/// At most `capacity` events wait in the channel, at least 1. Events that the stream has taken do not count.
///
/// ```
/// use std::thread;
/// use schedule::prelude::*;
/// use schedule_stream::{arrivals, prelude::*};
///
/// #[derive(Resource, Default)]
/// struct Sum(u64);
///
/// struct Add(u64);
///
/// #[handler]
/// fn add(event: &Add, sum: &mut Sum) {
///     sum.0 += event.0;
/// }
///
/// #[derive(Event)]
/// enum Entry {
///     #[event(add)]
///     Add(Add),
/// }
///
/// let mut resources = Resources::new();
/// resources.insert_default::<Sum>();
/// let (producer, mut arrivals) = arrivals(64);
/// thread::scope(|scope| {
///     for n in 1..=4 {
///         let producer = producer.clone();
///         scope.spawn(move || producer.push(Entry::Add(Add(n))));
///     }
///     drop(producer);
///     Stream::new().process_arrivals(&mut resources, &mut arrivals, |_| ())
/// })?;
/// assert_eq!(resources.get::<Sum>().unwrap().0, 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn arrivals<E>(capacity: usize) -> (Producer<E>, Arrivals<E>) {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    let shared = Arc::new(Channel {
        // Relaxed: only the number itself must be unique.
        id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        capacity: capacity.max(1),
        queue: Mutex::new(Queue {
            events: VecDeque::new(),
            n_pushed: 0,
            n_producers: 1,
            is_closed: false,
            dispatcher: None,
        }),
        has_events: AtomicBool::new(false),
        has_room: Condvar::new(),
    });
    let arrivals = Arrivals {
        taken: Taken {
            shared: Arc::clone(&shared),
            events: VecDeque::new(),
            is_over: false,
        },
        n_taken: 0,
    };
    (Producer { shared }, arrivals)
}

struct Channel<E> {
    id: u64,
    capacity: usize,
    queue: Mutex<Queue<E>>,
    /// Whether an event was not taken yet, or all producers were dropped. A hint: it may be late.
    has_events: AtomicBool,
    has_room: Condvar,
}

struct Queue<E> {
    events: VecDeque<E>,
    n_pushed: u64,
    n_producers: usize,
    is_closed: bool,
    /// The thread that takes events.
    dispatcher: Option<Thread>,
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

/// While it exists, this thread counts as processing the events of a channel.
pub(super) struct ProcessingScope {
    before: u64,
    is_within: bool,
}

impl ProcessingScope {
    #[inline]
    pub(super) fn new(id: u64) -> Self {
        let before = HERE.replace(id);
        let is_within = before != 0 && before != id;
        if is_within {
            AROUND.with_borrow_mut(|around| around.push(before));
        }
        Self { before, is_within }
    }

    fn has(id: u64) -> bool {
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
    /// Pushes an event, and blocks while the channel is full. Returns the position of the event: the number of earlier
    /// events.
    ///
    /// # Errors
    ///
    /// Fails if [`Arrivals`] was dropped. Also fails if this thread processes the same stream, for example inside a
    /// handler, because that could deadlock. A handler returns [`FollowUps`](super::FollowUps) instead.
    pub fn push(&self, event: E) -> Result<u64, PushError<E>> {
        if ProcessingScope::has(self.shared.id) {
            return Err(PushError::Within(event));
        }
        let mut queue = self.shared.lock();
        while queue.events.len() >= self.shared.capacity && !queue.is_closed {
            let waited = self.shared.has_room.wait(queue);
            queue = waited.unwrap_or_else(PoisonError::into_inner);
        }
        self.push_into(&mut queue, event)
    }

    /// Pushes an event, and fails if the channel is full.
    ///
    /// # Errors
    ///
    /// As for [`push`](Self::push), and if the channel is full.
    pub fn try_push(&self, event: E) -> Result<u64, PushError<E>> {
        if ProcessingScope::has(self.shared.id) {
            return Err(PushError::Within(event));
        }
        let mut queue = self.shared.lock();
        if queue.events.len() >= self.shared.capacity && !queue.is_closed {
            return Err(PushError::Full(event));
        }
        self.push_into(&mut queue, event)
    }

    fn push_into(&self, queue: &mut Queue<E>, event: E) -> Result<u64, PushError<E>> {
        if queue.is_closed {
            return Err(PushError::Closed(event));
        }
        let position = queue.n_pushed;
        queue.n_pushed += 1;
        queue.events.push_back(event);
        if queue.events.len() == 1 {
            self.shared.wake(queue);
        }
        Ok(position)
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
    /// The channel is full.
    Full(E),
    /// [`Arrivals`] was dropped, so no stream will process the event.
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
            PushError::Closed(_) => "the channel is closed: its `Arrivals` was dropped, so no stream will process the event",
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

/// The receiving end of the channel: see [`arrivals`]. After it is dropped, `push` returns [`PushError::Closed`].
pub struct Arrivals<E> {
    pub(super) taken: Taken<E>,
    /// Number of events that were taken: the position of the next event.
    pub(super) n_taken: u64,
}

/// The receiving end of the queue.
pub(super) struct Taken<E> {
    shared: Arc<Channel<E>>,
    /// Events that were taken from the queue together.
    events: VecDeque<E>,
    /// Whether all producers were dropped. Follow-up events may still arrive.
    is_over: bool,
}

impl<E> Arrivals<E> {
    /// Marks the calling thread as the one that processes the events.
    pub(super) fn open(&self) -> ProcessingScope {
        let shared = &self.taken.shared;
        shared.lock().dispatcher = Some(thread::current());
        ProcessingScope::new(shared.id)
    }

    pub(super) fn id(&self) -> u64 {
        self.taken.shared.id
    }
}

impl<E> Input<E> for &mut Taken<E> {
    fn next(&mut self) -> Option<E> {
        if self.events.is_empty() && self.has_more() {
            let mut queue = self.shared.lock();
            core::mem::swap(&mut queue.events, &mut self.events);
            self.is_over = queue.n_producers == 0;
            // Relaxed: all stores to it are made under the lock.
            self.shared.has_events.store(false, Ordering::Relaxed);
            drop(queue);
            self.shared.has_room.notify_all();
        }
        self.events.pop_front()
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn follow(&mut self, event: E) -> Option<E> {
        let mut queue = self.shared.lock();
        queue.n_pushed += 1;
        queue.events.push_back(event);
        // Relaxed: as in `next`.
        self.shared.has_events.store(true, Ordering::Relaxed);
        None
    }

    fn has_more(&self) -> bool {
        // Relaxed: a thread that misses the store is woken.
        self.shared.has_events.load(Ordering::Relaxed)
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
