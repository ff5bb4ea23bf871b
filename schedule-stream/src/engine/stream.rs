//! The stream: settings, and calls that process events.

#[cfg(feature = "durable")]
mod durable;
mod error;
mod observation;
mod run;

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use std::sync::Arc;

use rayon::ThreadPool;

pub use self::error::StreamError;
use self::run::StretchFn;
use crate::base::footprint::Footprint;
use crate::base::position::{BatchTime, Position};
use crate::engine::arrivals::{Arrivals, Producer, arrivals, next_id};
use crate::engine::batches::{Batches, InputGate, MAX_OUTSIDE};
use crate::engine::ends::{CallEnds, Ends, OutcomeCallback};
use crate::engine::helpers::Helpers;
use crate::engine::mode::ModeSelector;
use crate::observe::observer::Observer;
use crate::program::event::{Cases, Event};
use crate::program::outcome::Outcome;
use crate::store::limits::EventLimits;
use crate::store::stores::Stores;
use schedule::identity::Name;
use schedule::internal::{FirstPanic, Prepared, address};
use schedule::{FailurePolicy, Resources};

/// How a stream processes its events. All variants have the same results, with one exception: after a failure with
/// [`FailurePolicy::Stop`], they may stop different events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Processing {
    /// Selects `Serial` or `Parallel` by measurement.
    ///
    /// The stream tries several threads from time to time. If an event usually takes less than 300 ns, they must be 1.1
    /// times as fast as one thread. For such events, a trial counts all its measurements, even if another program
    /// interrupted a thread. After a trial that lost time, the next trial waits for 100 times the lost time.
    #[default]
    Auto,
    /// Processes one event at a time, on the calling thread. If the records take much memory, it reads up to 15 events
    /// ahead from the input.
    Serial,
    /// Processes events on the calling thread and on threads of the pool. In a pool of one thread this is `Serial`.
    ///
    /// The stream selects the method that orders the events, by measurement. The first method has one lane of events for
    /// each thread, up to seven lanes, and suits short events. The second one has one queue of events for each record,
    /// and suits long events with few records.
    Parallel,
}

/// The settings of a call that processes events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSettings {
    /// The id of the channel or service of the events; 0 without one.
    pub(crate) channel: u64,
    /// The position of the first event. `None` for that of a new batch.
    pub(crate) first: Option<Position>,
    /// Maximum number of batches.
    pub(crate) max_batches: u64,
    /// Whether the same events must have the same outcomes, even after an event has failed.
    pub(crate) is_exact: bool,
    /// Whether one event arrives after the other has ended, on this thread.
    pub(crate) is_one_by_one: bool,
    /// Whether batches take events of the input.
    pub(crate) gate: InputGate,
}

impl CallSettings {
    /// All batches.
    pub(crate) const ALL: Self = Self {
        channel: 0,
        first: None,
        max_batches: u64::MAX,
        is_exact: false,
        is_one_by_one: false,
        gate: InputGate::Cut,
    };
    /// One batch, with all events of the input.
    pub(crate) const BATCH: Self = Self {
        max_batches: 1,
        gate: InputGate::Open,
        ..Self::ALL
    };

    /// The events come from this channel.
    pub(crate) fn of<E>(self, arrivals: &Arrivals<E>) -> Self {
        Self {
            channel: arrivals.id(),
            first: Some(arrivals.next_position()),
            gate: InputGate::Numbered,
            ..self
        }
    }
}

/// Processes events in parallel. Two events that name the same record run in order of arrival if one of them writes it.
pub struct Stream<E: Event> {
    /// Its channels have the same id.
    id: u64,
    pub(crate) stores: Stores,
    footprint: Footprint,
    batches: Batches<E>,
    clock: Box<dyn FnMut() -> BatchTime + Send>,
    processing: Processing,
    /// The function that processes all stretches. `None` if `processing` selects it.
    forced: Option<StretchFn<E>>,
    failure_policy: FailurePolicy,
    limits: EventLimits,
    pub(crate) pool: Option<Arc<ThreadPool>>,
    prepared: Prepared,
    selector: ModeSelector,
    helpers: Arc<Helpers>,
    /// One `ParallelState<E, _, _>` for each structure that was used. Only `run_stretch` knows its full type.
    parallel_states: Vec<Box<dyn Any + Send>>,
    pub(crate) observer: Observer,
    event: PhantomData<fn(E)>,
}

impl<E: Event> Stream<E> {
    /// Creates a stream.
    pub fn new() -> Self {
        let mut stores = Stores::default();
        E::cases().stores(&mut stores);
        Self {
            id: next_id(),
            stores,
            footprint: Footprint::new(),
            batches: Batches::new(),
            clock: Box::new(BatchTime::now),
            processing: Processing::Auto,
            forced: None,
            failure_policy: FailurePolicy::CarryOn,
            limits: EventLimits::new(),
            pool: None,
            prepared: Prepared::default(),
            selector: ModeSelector::new(),
            helpers: Arc::new(Helpers::new()),
            parallel_states: Vec::new(),
            observer: Observer::default(),
            event: PhantomData,
        }
    }

    /// Sets how events are processed. The default is [`Processing::Auto`]. A change from or to [`Processing::Parallel`] discards
    /// the measurements.
    pub fn set_processing(&mut self, processing: Processing) {
        self.forced = None;
        let is_parallel = |processing| processing == Processing::Parallel;
        let has_changed = is_parallel(self.processing) != is_parallel(processing);
        self.processing = processing;
        // Measurements of one thread are kept.
        if has_changed {
            self.selector = self.new_selector();
        }
    }

    fn new_selector(&self) -> ModeSelector {
        if self.processing == Processing::Parallel {
            ModeSelector::always_parallel()
        } else {
            ModeSelector::new()
        }
    }

    /// Sets the pool whose threads help. The default is the pool of the calling thread. With n threads, n - 1 help, because the
    /// calling thread processes events too.
    ///
    /// A thread that calls `process` runs no other jobs of its pool while it waits. If it is itself a worker of the pool, a
    /// handler must not wait for all threads of that pool, as `rayon::broadcast` does. [`Schedule::run`] describes this and
    /// other deadlocks; they apply to handlers too.
    ///
    /// [`Schedule::run`]: schedule::Schedule::run
    pub fn set_pool(&mut self, pool: Arc<ThreadPool>) {
        self.change_pool(Some(pool));
    }

    pub(crate) fn change_pool(&mut self, pool: Option<Arc<ThreadPool>>) {
        self.pool = pool;
        self.prepared = Prepared::default();
        self.parallel_states.clear();
        self.selector = self.new_selector();
        self.helpers = Arc::new(Helpers::new());
    }

    /// Sets what happens after a handler fails or panics.
    ///
    /// By default, later events are processed, and see the changes that the failed handler made, unless it is atomic. With [`FailurePolicy::Stop`], no
    /// handler is called in the same call of [`process`](Self::process) after the failure is noticed.
    pub fn set_failure_policy(&mut self, policy: FailurePolicy) {
        self.failure_policy = policy;
    }

    /// Sets the limits on the work that one event can cause. The default is [`EventLimits::new`].
    pub fn set_limits(&mut self, limits: EventLimits) {
        self.limits = limits;
        self.stores.set_max_set_keys(limits.max_set_keys);
    }

    /// Sets the clock that gives the [`BatchTime`] of each batch. The default is the system clock. Called once per batch, on
    /// the thread that calls `process`. If it goes back, batches have the last time until it has reached that time again.
    pub fn set_clock(&mut self, clock: impl FnMut() -> BatchTime + Send + 'static) {
        self.clock = Box::new(clock);
    }

    /// Returns the number of the next batch.
    pub fn next_batch(&self) -> u64 {
        match self.batches.next() {
            Position { batch, index: 0 } => batch,
            interrupted => interrupted.next_batch().batch,
        }
    }

    /// Returns the number of follow-up events that have not arrived.
    pub fn n_pending(&self) -> usize {
        self.batches.pending.len()
    }

    /// Processes all events, and reports the outcome of each, in order of arrival.
    ///
    /// Events arrive in batches of 2,048. The last batch may have fewer. The follow-up events that a batch causes arrive
    /// in the next batch, after the events of the input, in the order of the events that caused them. Those above the
    /// [budget of a batch](EventLimits::max_follow_ups) wait for later batches, and come first there. While more than one budget
    /// waits, batches have no events of the input. When `events` ends, batches of follow-up events come until none is
    /// pending. A chain of follow-up events ends at the [maximum depth](EventLimits::max_depth).
    ///
    /// **Deadlocks if the iterator waits for an outcome before it yields the next event.** With any [`Processing`], the
    /// stream takes several events from the iterator before it reports an outcome. An example is a channel whose sender
    /// waits for a reply to each event. Use [`process_arrivals`](Self::process_arrivals) for it.
    ///
    /// # Errors
    ///
    /// Fails if a resource of a handler is missing. No event is processed in that case. Stops with
    /// [`StreamError::Backlog`] after a batch at whose end too many follow-up events wait.
    ///
    /// # Panics
    ///
    /// Panics if `events` or `outcomes` panics. Events in flight are then dropped without a report. Further panics
    /// while values are dropped are ignored: see [`RunError`](schedule::RunError#panics-of-user-code).
    pub fn process(
        &mut self,
        resources: &mut Resources,
        events: impl IntoIterator<Item = E>,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), StreamError> {
        let mut ends = CallEnds {
            input: events.into_iter().fuse(),
            reporter: OutcomeCallback(outcomes),
        };
        let processed = self.run_call(resources, &mut ends, CallSettings::ALL);
        ends.close(processed)
    }

    /// Processes one batch: at most 2,048 events of `events`, then the pending follow-up events of earlier batches, up to the
    /// [budget of a batch](EventLimits::max_follow_ups). Follow-up events that this batch causes remain pending. Without events, no
    /// batch begins.
    ///
    /// While more than one budget of follow-up events waits, batches of them come first. [`drain`](Self::drain) processes a
    /// given number of such batches.
    ///
    /// Takes no event after the last one of the batch: with `&mut iterator` as `events`, the next call continues.
    ///
    /// ```
    /// use schedule::prelude::*;
    /// use schedule_stream::prelude::*;
    ///
    /// #[derive(Event)]
    /// #[event(count_down)]
    /// struct CountDown(u32);
    ///
    /// #[handler]
    /// fn count_down(event: &CountDown) -> FollowUps<CountDown> {
    ///     FollowUps::events(event.0.checked_sub(1).map(CountDown))
    /// }
    ///
    /// let (mut stream, mut resources) = (Stream::new(), Resources::new());
    /// let mut reported = Vec::new();
    /// let mut report = |outcome: Outcome<CountDown>| {
    ///     reported.push((outcome.event.0, outcome.position.batch, outcome.cause.map(|cause| cause.batch)));
    /// };
    /// stream.process_batch(&mut resources, [CountDown(9)], &mut report)?;
    /// stream.process_batch(&mut resources, [CountDown(0)], &mut report)?;
    /// assert_eq!(stream.n_pending(), 1);
    /// assert_eq!(reported, [(9, 1, None), (0, 2, None), (8, 2, Some(1))]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`process`](Self::process).
    ///
    /// # Panics
    ///
    /// As for `process`.
    pub fn process_batch(
        &mut self,
        resources: &mut Resources,
        events: impl IntoIterator<Item = E>,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), StreamError> {
        let mut outcomes = outcomes;
        while self.is_behind() {
            self.drain(resources, 1, &mut outcomes)?;
        }
        let mut ends = CallEnds {
            input: events.into_iter().take(MAX_OUTSIDE as usize).fuse(),
            reporter: OutcomeCallback(outcomes),
        };
        let processed = self.run_call(resources, &mut ends, CallSettings::BATCH);
        ends.close(processed)
    }

    /// Processes pending follow-up events in at most `max_batches` batches, until none is pending. Returns the number of
    /// follow-up events that are still pending.
    ///
    /// # Errors
    ///
    /// As for [`process`](Self::process).
    ///
    /// # Panics
    ///
    /// As for `process`.
    pub fn drain(
        &mut self,
        resources: &mut Resources,
        max_batches: u64,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<usize, StreamError> {
        let mut ends = CallEnds {
            input: core::iter::empty().fuse(),
            reporter: OutcomeCallback(outcomes),
        };
        let settings = CallSettings {
            max_batches,
            ..CallSettings::ALL
        };
        let processed = self.run_call(resources, &mut ends, settings);
        ends.close(processed)?;
        Ok(self.n_pending())
    }

    /// Creates a bounded channel for [`process_arrivals`](Self::process_arrivals): producers on any number of threads
    /// push events into it.
    ///
    /// At most `capacity` events wait in the channel, at least 1. Events that the stream has taken do not count.
    ///
    /// Positions continue after those of the batches that the stream has begun. If the stream processes other events
    /// between this call and `process_arrivals`, the channel cannot be used any more.
    ///
    /// ```
    /// use std::thread;
    /// use schedule::prelude::*;
    /// use schedule_stream::prelude::*;
    ///
    /// #[derive(Resource, Default)]
    /// struct Sum(u64);
    ///
    /// #[derive(Event)]
    /// #[event(add)]
    /// struct Add(u64);
    ///
    /// #[handler]
    /// fn add(event: &Add, sum: &mut Sum) {
    ///     sum.0 += event.0;
    /// }
    ///
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Sum>();
    /// let mut stream = Stream::new();
    /// let (producer, mut arrivals) = stream.arrivals(64);
    /// thread::scope(|scope| {
    ///     for n in 1..=4 {
    ///         let producer = producer.clone();
    ///         scope.spawn(move || producer.push(Add(n)));
    ///     }
    ///     drop(producer);
    ///     stream.process_arrivals(&mut resources, &mut arrivals, |_| ())
    /// })?;
    /// assert_eq!(resources.get::<Sum>().unwrap().0, 10);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn arrivals(&self, capacity: usize) -> (Producer<E>, Arrivals<E>) {
        let first = Position::new(self.next_batch(), 0);
        arrivals(self.id, capacity, first, self.is_behind())
    }

    /// Returns whether more than one budget of follow-up events waits.
    fn is_behind(&self) -> bool {
        self.batches.is_behind(&self.limits)
    }

    /// Processes the events of all producers until all producers are dropped or one calls [`Producer::end`], and reports
    /// the outcome of each, in order of arrival. Positions are those that [`Producer::push`] returned.
    ///
    /// A batch ends when no more events wait, at a [`barrier`](Producer::barrier), and after 2,048 events. Follow-up
    /// events arrive in the next batch, as for [`process`](Self::process). If no events wait, a batch has only follow-up
    /// events. While more than one [budget](EventLimits::max_follow_ups) of them waits, producers wait. Events that were pushed
    /// before keep their positions.
    ///
    /// A producer may wait for the outcome of an event before it pushes the next one. The stream reports the outcome
    /// without waiting for another event, whatever the [`Processing`].
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use std::thread;
    ///
    /// use schedule::prelude::*;
    /// use schedule_stream::prelude::*;
    ///
    /// #[derive(Resource, Default)]
    /// struct Sum(u64);
    ///
    /// #[derive(Event)]
    /// #[event(add, answer = u64)]
    /// struct Add(u64);
    ///
    /// #[handler]
    /// fn add(event: &Add, sum: &mut Sum) -> u64 {
    ///     sum.0 += event.0;
    ///     sum.0
    /// }
    ///
    /// let mut resources = Resources::new();
    /// resources.insert_default::<Sum>();
    /// let mut stream = Stream::new();
    /// let (producer, mut arrivals) = stream.arrivals(64);
    /// let (replies, replied) = mpsc::channel();
    /// thread::scope(|scope| {
    ///     scope.spawn(move || {
    ///         producer.push(Add(2)).unwrap();
    ///         assert_eq!(replied.recv(), Ok(2));
    ///         producer.push(Add(3)).unwrap();
    ///         assert_eq!(replied.recv(), Ok(5));
    ///     });
    ///     stream.process_arrivals(&mut resources, &mut arrivals, |outcome: Outcome<Add>| {
    ///         replies.send(outcome.result.unwrap()).unwrap();
    ///     })
    /// })?;
    /// assert_eq!(resources.get::<Sum>().unwrap().0, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a resource of a handler is missing, if another stream created the channel, or if the stream has processed other
    /// events since then. No event is processed in that case. Stops with [`StreamError::Backlog`], as `process`. After any
    /// error, the channel is closed, so that no producer waits: pushes fail with
    /// [`PushError::Closed`](crate::PushError::Closed). If a later call succeeds, it processes the events that were pushed before.
    ///
    /// # Panics
    ///
    /// Panics if `outcomes` panics. Events in flight are then dropped without a report. On `wasm32-unknown-unknown`,
    /// which has one thread, it also panics if all pushed events are processed and a producer remains, because it would
    /// wait forever.
    pub fn process_arrivals(
        &mut self,
        resources: &mut Resources,
        arrivals: &mut Arrivals<E>,
        outcomes: impl FnMut(Outcome<E>),
    ) -> Result<(), StreamError> {
        let here = arrivals.open();
        arrivals.set_behind(self.is_behind());
        let settings = CallSettings::ALL.of(arrivals);
        let is_own = arrivals.stream() == self.id;
        let mut ends = CallEnds {
            input: &mut arrivals.taken,
            reporter: OutcomeCallback(outcomes),
        };
        let processed = if is_own {
            self.run_call(resources, &mut ends, settings)
        } else {
            Err(StreamError::OtherStream)
        };
        let result = ends.close(processed);
        drop(here);
        if result.is_err() {
            arrivals.close();
        }
        result
    }

    /// Processes events. The caller must borrow the resources exclusively. Returns the first panic of user code, if there was one.
    pub(crate) fn run_call(
        &mut self,
        resources: &Resources,
        ends: &mut dyn Ends<E>,
        settings: CallSettings,
    ) -> Result<FirstPanic, StreamError> {
        self.stores
            .find(|want, store| *store = address(resources, &want.resource));
        self.find_missing()?;
        self.check_first(settings.first)?;
        self.check_backlog()?;
        #[expect(unsafe_code, reason = "the stores were found just now")]
        // SAFETY: `find` has just looked up the stores in `resources`, and the caller borrows them exclusively.
        let (panics, is_backlogged) = unsafe { self.run_checked(ends, settings) };
        self.ended(panics, is_backlogged)
    }

    /// The result of [`run_checked`](Self::run_checked). A panic comes before an error.
    pub(crate) fn ended(
        &self,
        panics: FirstPanic,
        is_backlogged: bool,
    ) -> Result<FirstPanic, StreamError> {
        if is_backlogged && panics.is_none() {
            self.check_backlog()?;
        }
        Ok(panics)
    }

    /// Fails if too many follow-up events wait.
    pub(crate) fn check_backlog(&self) -> Result<(), StreamError> {
        let (n_pending, max) = (self.n_pending(), self.limits.max_pending);
        if n_pending > max as usize {
            Err(StreamError::Backlog {
                batch: self.next_batch().saturating_sub(1),
                n_pending,
                max,
            })
        } else {
            Ok(())
        }
    }

    /// Returns the position of the first event of a call: the next one of a channel, or else that of a new batch.
    fn first_position(&self, first: Option<Position>) -> Position {
        first.unwrap_or(Position::new(self.next_batch(), 0))
    }

    /// Fails if the stream has given positions of the channel to other events.
    fn check_first(&self, first: Option<Position>) -> Result<(), StreamError> {
        let (first, next) = (self.first_position(first), self.next_batch());
        if first == self.batches.next() || first.batch >= next {
            Ok(())
        } else {
            Err(StreamError::OldArrivals { first, next })
        }
    }

    fn find_missing(&self) -> Result<(), StreamError> {
        let mut missing: Vec<Name> = Vec::new();
        for (case, handler) in self.stores.cases.iter().zip(E::HANDLERS) {
            for (store, argument) in case.all.iter().zip(handler.arguments.all) {
                let Some((resource, _)) = argument.store() else {
                    continue;
                };
                let name = resource.name;
                let is_needed = argument.is_keyed || !argument.is_optional;
                if store.is_none() && is_needed && !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
        if missing.is_empty() {
            Ok(())
        } else {
            Err(StreamError::Missing(missing))
        }
    }
}

impl<E: Event> Default for Stream<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Event> fmt::Debug for Stream<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("batches", &self.batches)
            .finish_non_exhaustive()
    }
}
