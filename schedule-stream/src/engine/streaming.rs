//! Streams in schedules.

use core::fmt;
use core::time::Duration;
use std::sync::Arc;
use std::vec;

use rayon::ThreadPool;

use crate::engine::ends::{CallEnds, OutcomeCallback};
use crate::engine::stream::{CallSettings, StreamError};
use crate::observe::slow::SlowHandler;
use crate::program::event::Event;
use crate::program::outcome::Outcome;
use crate::store::limits::EventLimits;
use crate::{Processing, Stream};
use schedule::access::AccessSet;
use schedule::internal::{
    FirstPanic, Scope, find_address, need_address, pool_of, push_access, scope_of, seed,
};
use schedule::param::{Fetch, FetchFrom, Lookup, Seed};
use schedule::{FailurePolicy, Param};

/// A stream as a parameter of a system. The system keeps the stream between runs.
///
/// The access of the system includes the stores and resources of all handlers. All events are processed before the
/// system ends. Other systems can push events into a resource such as an [`Inbox`]:
///
/// ```
/// use schedule::{Identity, prelude::*};
/// use schedule_stream::prelude::*;
///
/// #[derive(Record)]
/// #[record(id = u32)]
/// struct Account(u64);
///
/// #[derive(Event, Identity)]
/// #[event(deposit)]
/// struct Deposit(u32, u64);
///
/// #[handler]
/// fn deposit(event: &Deposit, #[key(event.0)] to: &mut Account) {
///     to.0 += event.1;
/// }
///
/// #[system]
/// fn earn(inbox: &mut Inbox<Deposit>) {
///     inbox.push(Deposit(0, 5));
/// }
///
/// #[system(after = earn)]
/// fn settle(inbox: &mut Inbox<Deposit>, mut bank: Streaming<Deposit>) -> Result<(), BoxError> {
///     bank.process(inbox.drain(), |outcome| assert!(outcome.is_applied()))?;
///     Ok(())
/// }
///
/// let mut frame = Schedule::builder().add::<earn>().add::<settle>().build()?;
/// let mut resources = Resources::new();
/// resources.insert(Records::from_iter([(0, Account(0))]));
/// resources.insert_default::<Inbox<Deposit>>();
/// frame.run(&mut resources)?;
/// assert_eq!(resources.get::<Records<Account>>().unwrap().get(0).unwrap().0, 5);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Streaming<'r, E: Event>(&'r mut Streamed<E>);

impl<E: Event> Streaming<'_, E> {
    /// Processes events like [`Stream::process`], with the resources of the schedule.
    ///
    /// **Deadlocks if the iterator waits for an outcome before it yields the next event**, like `Stream::process`. Such
    /// events need a separate [`Stream`] and [`Stream::process_arrivals`].
    ///
    /// # Errors
    ///
    /// Stops with [`StreamError::Backlog`], as `Stream::process`.
    ///
    /// # Panics
    ///
    /// Panics if `events` or `outcomes` panics.
    #[expect(
        unsafe_code,
        reason = "the executor gives exclusive access to fetched resources"
    )]
    pub fn process(
        &mut self,
        events: impl IntoIterator<Item = E>,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), StreamError> {
        self.0.stream.check_backlog()?;
        let mut ends = CallEnds {
            input: events.into_iter().fuse(),
            reporter: OutcomeCallback(outcomes),
        };
        // SAFETY: a `Streaming` comes from `fetch`, and `prepare` has found the stores in the resources of this run.
        // `access` declares all of them, so the executor runs no conflicting system during this call. No other code can
        // change the stores of the stream meanwhile, because it is borrowed exclusively.
        let (panics, is_backlogged) =
            unsafe { self.0.stream.run_checked(&mut ends, CallSettings::ALL) };
        ends.close(self.0.stream.ended(panics, is_backlogged))
    }

    /// Sets the processing, like [`Stream::set_processing`]. The setting remains for later runs.
    pub fn set_processing(&mut self, processing: Processing) {
        self.0.stream.set_processing(processing);
    }

    /// Sets the pool, like [`Stream::set_pool`]. The default is the pool of the schedule, if it has one. The setting remains for
    /// later runs.
    pub fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.0.has_own_pool = true;
        self.0.stream.set_pool(pool);
    }

    /// Sets the limits, like [`Stream::set_limits`]. The setting remains for later runs.
    pub fn set_limits(&mut self, limits: EventLimits) {
        self.0.stream.set_limits(limits);
    }

    /// Sets the name, like [`Stream::set_name`]. The setting remains for later runs.
    pub fn set_name(&mut self, name: impl Into<String>) {
        self.0.stream.set_name(name);
    }

    /// Sets the threshold of slow handlers, like [`Stream::set_slow_handler_threshold`]. The setting remains for later runs.
    pub fn set_slow_handler_threshold(&mut self, threshold: impl Into<Option<Duration>>) {
        self.0.stream.set_slow_handler_threshold(threshold);
    }

    /// Sets the function that is called with slow handlers, like [`Stream::set_slow_handler_callback`]. The setting remains for
    /// later runs.
    pub fn set_slow_handler_callback(
        &mut self,
        callback: impl Fn(&SlowHandler) + Send + Sync + 'static,
    ) {
        self.0.stream.set_slow_handler_callback(callback);
    }

    /// Sets the failure policy, like [`Stream::set_failure_policy`]. The setting remains for later runs.
    pub fn set_failure_policy(&mut self, policy: FailurePolicy) {
        self.0.stream.set_failure_policy(policy);
    }
}

impl<E: Event> fmt::Debug for Streaming<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Streaming").field(&self.0.stream).finish()
    }
}

/// The state of [`Streaming<E>`].
#[derive(Debug)]
pub struct Streamed<E: Event> {
    stream: Stream<E>,
    /// Whether `set_pool` has set a pool that replaces the one of the schedule.
    has_own_pool: bool,
}

impl<E: Event> Streamed<E> {
    fn set_pool_of_schedule(&mut self, pool: Option<&Arc<ThreadPool>>) {
        let is_this = self.stream.pool.as_ref().map(Arc::as_ptr) == pool.map(Arc::as_ptr);
        if !self.has_own_pool && !is_this {
            self.stream.change_pool(pool.cloned());
        }
    }
}

// SAFETY: `access` declares each store and resource that the handlers of the stream use, with write access if a handler
// writes it. `prepare` looks up only these.
#[expect(unsafe_code, reason = "declares the access of all handlers")]
unsafe impl<E: Event> Fetch for Streamed<E> {
    type Item<'r> = Streaming<'r, E>;

    fn access(&self, access: &mut AccessSet) {
        for want in self.stream.stores.wants() {
            push_access(access, &want.resource, want.is_write, want.is_optional);
        }
    }

    fn prepare(&mut self, lookup: &mut Lookup<'_>) {
        self.set_pool_of_schedule(pool_of(lookup));
        if scope_of(lookup) == Scope::MainThread {
            // Handlers take no main-thread values, so all addresses are still valid.
            return;
        }
        self.stream.stores.find(|want, store| {
            if want.is_optional {
                find_address(lookup, &want.resource, store)
            } else {
                need_address(lookup, &want.resource, store)
            }
        });
    }

    unsafe fn fetch<'r>(&'r mut self, _: FetchFrom<'r>) -> Streaming<'r, E> {
        Streaming(self)
    }
}

impl<E: Event> Param for Streaming<'_, E> {
    type State = Streamed<E>;
    const SEED: Seed<Streamed<E>> = seed(E::ACCESS, || Streamed {
        stream: Stream::new(),
        has_own_pool: false,
    });
}

/// A queue of events, as a resource: systems push events, and another system processes them.
#[derive(schedule_macros::Resource, Clone, PartialEq, Eq)]
#[resource(crate = schedule)]
pub struct Inbox<E>(Vec<E>);

impl<E> Inbox<E> {
    /// Creates an empty inbox.
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds an event at the end.
    pub fn push(&mut self, event: E) {
        self.0.push(event);
    }

    /// Returns the number of events.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no events.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes all events and iterates over them, in the order in which they were pushed.
    pub fn drain(&mut self) -> impl Iterator<Item = E> {
        Drain(self.0.drain(..))
    }
}

impl<E> Drop for Inbox<E> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(self.0.drain(..));
        panics.resume_from_drop();
    }
}

/// The iterator of [`Inbox::drain`]. Drops the remaining events one at a time, because their destructors may panic.
struct Drain<'i, E>(vec::Drain<'i, E>);

impl<E> Iterator for Drain<'_, E> {
    type Item = E;

    #[inline]
    fn next(&mut self) -> Option<E> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<E> Drop for Drain<'_, E> {
    fn drop(&mut self) {
        let mut panics = FirstPanic::default();
        panics.drop_each(self.0.by_ref());
        panics.resume_from_drop();
    }
}

impl<E> Default for Inbox<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> Extend<E> for Inbox<E> {
    fn extend<I: IntoIterator<Item = E>>(&mut self, events: I) {
        self.0.extend(events);
    }
}

impl<E> fmt::Debug for Inbox<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Inbox({})", self.0.len())
    }
}
