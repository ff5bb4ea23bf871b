//! The stream: settings, and calls that process events.

use core::any::Any;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use rayon::ThreadPool;

use crate::arrivals::Arrivals;
use crate::dispatch::Dispatch;
use crate::event::{Cases, Event};
use crate::footprint::Footprint;
use crate::helpers::Helpers;
use crate::inline;
use crate::lanes::Lanes;
use crate::log::EventLog;
use crate::log::Logged;
use crate::mode::{Mode, ModeSelector, Order};
use crate::outcome::Outcome;
use crate::parallel::{ParallelState, ParallelStretch, StretchSettings};
use crate::queues::Queues;
use crate::stores::Stores;
use crate::tickets::Tickets;
use crate::traffic::{CallEnds, Ends, Incoming, Input, OutcomeCallback, Traffic};
use schedule::identity::Name;
use schedule::internal::{
    FirstPanic, HAS_THREADS, Instant, Occupation, Prepared, WholeSpan, address,
};
use schedule::{FailurePolicy, Resources};

/// Follow-up events arrive after this number of further events. It must be at least the maximum number of events in flight.
const DELAY: usize = 2048;

/// How a stream processes its events. All variants have the same results, with one exception: after a failure with
/// [`FailurePolicy::Stop`], they may stop different events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Processing {
    /// Selects `Inline`, `Lanes` or `Queues` by measurement.
    ///
    /// The stream tries several threads from time to time. If an event usually takes less than 300 ns, they must be 1.1
    /// times as fast as one thread. For such events, a trial counts all its measurements, even if another program
    /// interrupted a thread. After a trial that lost time, the next trial waits for 100 times the lost time.
    #[default]
    Auto,
    /// Processes one event at a time, on the calling thread. If the records take much memory, it reads up to 15 events
    /// ahead from the input.
    Inline,
    /// Processes events in parallel. Each thread has a lane, up to seven lanes. A lane processes its events in order.
    /// An event goes to the lane in which it can begin first. Suitable for short events.
    Lanes,
    /// Processes events in parallel. Each record has a queue of events, and a completed event makes the next ones
    /// ready. Suitable for long events with few records.
    Queues,
    /// Processes events in parallel. A thread searches all waiting events for a ready one, so processing is slow while many
    /// events wait. Use it only for comparison.
    Tickets,
}

/// Processes events in parallel. Two events that name the same record run in order of arrival if one of them writes it.
pub struct Stream<E: Event> {
    pub(crate) stores: Stores,
    footprint: Footprint,
    n_arrived: u64,
    processing: Processing,
    failure_policy: FailurePolicy,
    pub(crate) pool: Option<Arc<ThreadPool>>,
    prepared: Prepared,
    selector: ModeSelector,
    helpers: Arc<Helpers>,
    /// One `ParallelState<E, _, _>` for each structure that was used. Only `process_parallel` knows its full type.
    passages: Vec<Box<dyn Any + Send>>,
    event: PhantomData<fn(E)>,
}

impl<E: Event> Stream<E> {
    /// Creates a stream.
    pub fn new() -> Self {
        let mut stores = Stores::default();
        E::cases().stores(&mut stores);
        Self {
            stores,
            footprint: Footprint::new(),
            n_arrived: 0,
            processing: Processing::Auto,
            failure_policy: FailurePolicy::CarryOn,
            pool: None,
            prepared: Prepared::default(),
            selector: ModeSelector::new(),
            helpers: Arc::new(Helpers::new()),
            passages: Vec::new(),
            event: PhantomData,
        }
    }

    /// Sets how events are processed. The default is [`Processing::Auto`].
    pub fn set_processing(&mut self, processing: Processing) {
        self.processing = processing;
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
        self.passages.clear();
        self.selector = ModeSelector::new();
        self.helpers = Arc::new(Helpers::new());
    }

    /// Sets what happens after a handler fails or panics.
    ///
    /// By default, later events are processed, and see the changes that the failed handler made. With [`FailurePolicy::Stop`], no
    /// handler is called in the same call of [`process`](Self::process) after the failure is noticed.
    pub fn set_failure_policy(&mut self, policy: FailurePolicy) {
        self.failure_policy = policy;
    }

    /// Processes all events, and reports the outcome of each, in order of arrival.
    ///
    /// **Deadlocks if the iterator waits for an outcome before it yields the next event.** With any [`Processing`], the
    /// stream takes several events from the iterator before it reports an outcome. An example is a channel whose sender
    /// waits for a reply to each event. Use [`process_arrivals`](Self::process_arrivals) for it.
    ///
    /// Follow-up events arrive after 2,048 further events, or when `events` ends. They never arrive earlier, so the order does not
    /// depend on speed.
    ///
    /// # Errors
    ///
    /// Fails if a resource of a handler is missing. No event is processed in that case.
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
        let processed = self.process_all(resources, &mut ends, None, false);
        ends.close(processed)
    }

    /// Processes the events of all producers until all producers are dropped, and reports the outcome of each, in order of
    /// arrival. Positions are those that [`Producer::push`](crate::Producer::push) returned. Follow-up events arrive when the outcome of their cause
    /// is reported.
    ///
    /// A producer may wait for the outcome of an event before it pushes the next one. The stream reports the outcome
    /// without waiting for another event, whatever the [`Processing`].
    ///
    /// ```
    /// use std::sync::mpsc;
    /// use std::thread;
    ///
    /// use schedule::prelude::*;
    /// use schedule_stream::{arrivals, prelude::*};
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
    /// let (producer, mut arrivals) = arrivals(64);
    /// let (replies, replied) = mpsc::channel();
    /// thread::scope(|scope| {
    ///     scope.spawn(move || {
    ///         producer.push(Add(2)).unwrap();
    ///         assert_eq!(replied.recv(), Ok(2));
    ///         producer.push(Add(3)).unwrap();
    ///         assert_eq!(replied.recv(), Ok(5));
    ///     });
    ///     Stream::new().process_arrivals(&mut resources, &mut arrivals, |outcome: Outcome<Add>| {
    ///         replies.send(outcome.result.unwrap()).unwrap();
    ///     })
    /// })?;
    /// assert_eq!(resources.get::<Sum>().unwrap().0, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Fails if a resource of a handler is missing. No event is processed in that case.
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
        let _here = arrivals.open();
        let n_arrived = Some((arrivals.id(), &mut arrivals.n_taken));
        let mut ends = CallEnds {
            input: &mut arrivals.taken,
            reporter: OutcomeCallback(outcomes),
        };
        let processed = self.process_all(resources, &mut ends, n_arrived, false);
        ends.close(processed)
    }

    /// Processes events like [`process`](Self::process), and writes a log. **Deadlocks if the iterator waits for an
    /// outcome before it yields the next event.** Use [`process_arrivals_logged`](Self::process_arrivals_logged) for
    /// such events.
    ///
    /// The log contains digests of all outcomes, and of the values that `digest` hashes: usually resources. See [`EventLog`].
    ///
    /// # Errors
    ///
    /// As for `process`.
    ///
    /// # Panics
    ///
    /// As for `process`. Also panics if `digest` panics.
    pub fn process_logged(
        &mut self,
        resources: &mut Resources,
        events: impl IntoIterator<Item = E>,
        outcomes: impl FnMut(Outcome<E>),
        log: &mut EventLog<E>,
        digest: impl Fn(&Resources, &mut dyn Hasher),
    ) -> Result<(), StreamError>
    where
        E: Clone,
        E::Answer: fmt::Debug,
        E::Error: fmt::Display,
    {
        let input = events.into_iter().fuse();
        self.log(resources, input, None, outcomes, log, digest, false)
    }

    /// Processes events like [`process_arrivals`](Self::process_arrivals), and writes a log. The log contains the events in order of
    /// arrival, with follow-up events, so a replay needs no producers.
    ///
    /// # Errors
    ///
    /// As for `process_arrivals`.
    ///
    /// # Panics
    ///
    /// As for `process_arrivals`. Also panics if `digest` panics.
    pub fn process_arrivals_logged(
        &mut self,
        resources: &mut Resources,
        arrivals: &mut Arrivals<E>,
        outcomes: impl FnMut(Outcome<E>),
        log: &mut EventLog<E>,
        digest: impl Fn(&Resources, &mut dyn Hasher),
    ) -> Result<(), StreamError>
    where
        E: Clone,
        E::Answer: fmt::Debug,
        E::Error: fmt::Display,
    {
        let _here = arrivals.open();
        let n_arrived = Some((arrivals.id(), &mut arrivals.n_taken));
        let input = &mut arrivals.taken;
        self.log(resources, input, n_arrived, outcomes, log, digest, false)
    }

    /// Processes and logs. If `is_replay`, follow-up events are dropped, because the log already contains them.
    #[expect(
        clippy::too_many_arguments,
        reason = "shared by both logged calls and by replays"
    )]
    pub(crate) fn log(
        &mut self,
        resources: &Resources,
        input: impl Input<E>,
        arrivals: Option<(u64, &mut u64)>,
        outcomes: impl FnMut(Outcome<E>),
        log: &mut EventLog<E>,
        digest: impl Fn(&Resources, &mut dyn Hasher),
        is_replay: bool,
    ) -> Result<(), StreamError>
    where
        E: Clone,
        E::Answer: fmt::Debug,
        E::Error: fmt::Display,
    {
        log.begin();
        let reporter = Logged {
            log,
            outcomes,
            digest,
            resources: NonNull::from(resources),
            hasher: DefaultHasher::new(),
        };
        let mut ends = CallEnds { input, reporter };
        let mut processed = self.process_all(resources, &mut ends, arrivals, is_replay);
        if let Ok(panics) = &mut processed
            && panics.is_none()
            && ends.reporter.n_behind() > 0
        {
            panics.call(|| ends.reporter.digest());
        }
        if let Ok(panics) = &processed
            && panics.is_none()
        {
            ends.reporter.end();
        }
        ends.close(processed)
    }

    /// Processes events. The caller must borrow the resources exclusively. Returns the first panic of user code, if there was one.
    fn process_all(
        &mut self,
        resources: &Resources,
        ends: &mut dyn Ends<E>,
        arrivals: Option<(u64, &mut u64)>,
        drops_following: bool,
    ) -> Result<FirstPanic, StreamError> {
        self.stores
            .find(|want, store| *store = address(resources, &want.resource));
        self.find_missing()?;
        #[expect(unsafe_code, reason = "the stores were found just now")]
        // SAFETY: `find` has just looked up the stores in `resources`, and the caller borrows them exclusively.
        unsafe {
            Ok(self.process_found(ends, arrivals, drops_following))
        }
    }

    /// The entry of the engine. It is large, and does not depend on the types of the input and the outcome callback, so
    /// it is compiled once per event type. Returns the first panic of user code, if there was one.
    ///
    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    pub(crate) unsafe fn process_found(
        &mut self,
        ends: &mut dyn Ends<E>,
        arrivals: Option<(u64, &mut u64)>,
        drops_following: bool,
    ) -> FirstPanic {
        let mut n_arrived = self.n_arrived;
        let (id, position) = arrivals.unwrap_or((0, &mut n_arrived));
        let (whole, before) = (WholeSpan::stream(), *position);
        // SAFETY: the resources are borrowed exclusively: the contract of this function. No event has arrived yet.
        let n_doubts = unsafe { self.stores.n_doubts() };
        let mut traffic = Traffic::new(
            ends,
            DELAY,
            position,
            n_doubts,
            drops_following,
            whole.around(),
        );
        // This thread does not help others until its own events are processed.
        let _occupation = Occupation::begin();
        // If the input or the outcome callback panics, events that arrived are still counted.
        let mut panics = FirstPanic::default();
        panics.call(|| {
            // SAFETY: the resources are borrowed exclusively: the contract of this function.
            unsafe { self.process_traffic(E::cases(), &mut traffic, id) };
        });
        // A subscriber of spans and dropped values may panic too. The records must be counted in any case.
        panics.call(|| whole.note_events(traffic.n_arrived() - before));
        traffic.close(&mut panics);
        panics.drop(whole);
        self.n_arrived = n_arrived;
        // SAFETY: the resources are borrowed exclusively: the contract of this function. `process_traffic` has
        // completed all events, even if it panicked.
        unsafe { self.stores.count_records() };
        panics
    }

    /// # Safety
    ///
    /// The stores were found in resources that are borrowed exclusively.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    unsafe fn process_traffic<C: Cases<E>>(
        &mut self,
        cases: C,
        traffic: &mut Traffic<'_, E>,
        arrivals: u64,
    ) {
        let stops = self.failure_policy == FailurePolicy::Stop;
        let processing = match stops && traffic.is_exact() {
            true => Processing::Inline,
            false => self.processing,
        };
        let n_threads = match &self.pool {
            _ if processing == Processing::Inline || !HAS_THREADS => 1,
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        };
        let pool = self.pool.clone();
        loop {
            let mode = match processing {
                Processing::Lanes => Mode::Parallel(Order::Lanes),
                Processing::Queues | Processing::Tickets => Mode::Parallel(Order::Queues),
                _ if n_threads == 1 => Mode::Inline(usize::MAX),
                _ => self.selector.next_mode(),
            };
            let has_more = match mode {
                Mode::Inline(n) => {
                    let (start, before) = (Instant::now(), traffic.n_arrived());
                    // SAFETY: the resources are borrowed exclusively: the contract of this function. Inline processing
                    // ends with no event in flight, and so does a parallel stretch.
                    let next = unsafe {
                        inline::process(
                            &cases,
                            &mut self.stores,
                            &mut self.footprint,
                            traffic,
                            stops,
                            n,
                        )
                    };
                    let n = traffic.n_arrived() - before;
                    self.selector.note_inline(n as usize, start.elapsed());
                    if let Incoming::NotYet = next {
                        inline::wait(|| traffic.has_more());
                    }
                    !matches!(next, Incoming::Over)
                }
                Mode::Parallel(order) => {
                    if n_threads > 1 {
                        self.prepared.prepare(pool.as_ref());
                    }
                    let helpers = Arc::clone(&self.helpers);
                    let how = StretchSettings {
                        helpers: &helpers,
                        pool: pool.as_deref(),
                        max_helpers: n_threads as u32 - 1,
                        stops,
                        arrivals,
                        is_forced: processing != Processing::Auto,
                        most: match processing {
                            Processing::Auto => self.selector.most(),
                            _ => u64::MAX,
                        },
                    };
                    if processing == Processing::Tickets {
                        // SAFETY: the resources are borrowed exclusively: the contract of this function.
                        unsafe { self.process_parallel::<Tickets, _>(cases, traffic, how) }
                    } else if order == Order::Lanes {
                        // SAFETY: the resources are borrowed exclusively: the contract of this function.
                        unsafe { self.process_parallel::<Lanes, _>(cases, traffic, how) }
                    } else {
                        // SAFETY: the resources are borrowed exclusively: the contract of this function.
                        unsafe { self.process_parallel::<Queues, _>(cases, traffic, how) }
                    }
                }
            };
            if !has_more {
                break;
            }
        }
    }

    /// Processes one stretch on several threads. Returns whether there are more events.
    ///
    /// # Safety
    ///
    /// As for `process_found`.
    #[expect(unsafe_code, reason = "requires exclusive access to the stores")]
    unsafe fn process_parallel<O: Dispatch, C: Cases<E>>(
        &mut self,
        cases: C,
        traffic: &mut Traffic<'_, E>,
        how: StretchSettings<'_>,
    ) -> bool {
        const {
            assert!(
                O::N_SLOTS <= DELAY,
                "follow-up events must not arrive before the outcome of their cause is reported"
            )
        };
        let n_threads = how.max_helpers as usize + 1;
        let is_of = |passages: &Box<dyn Any + Send>| passages.is::<ParallelState<E, C, O>>();
        let is_this = |passages: &&mut ParallelState<E, C, O>| passages.n_threads == n_threads;
        let of = self.passages.iter().position(is_of);
        let passages = of.and_then(|of| self.passages[of].downcast_mut());
        if passages.filter(is_this).is_none() {
            self.passages.retain(|passages| !is_of(passages));
            let new = ParallelState::<E, C, O>::new(cases, &self.stores, n_threads);
            self.passages.push(Box::new(new));
        }
        let mut all = self.passages.iter_mut();
        let passages = all.find_map(|passages| passages.downcast_mut());
        let passages: &mut ParallelState<E, C, O> =
            passages.expect("this `ParallelState` was added above");
        // SAFETY: the resources are borrowed exclusively during this call: the contract of this function. `run` drops
        // the stretch before it returns or unwinds.
        let stretch = unsafe { ParallelStretch::new(passages, traffic, &mut self.stores, how) };
        stretch.run(&mut self.selector)
    }

    fn find_missing(&self) -> Result<(), StreamError> {
        let mut missing: Vec<Name> = Vec::new();
        for (case, handler) in self.stores.cases.iter().zip(E::HANDLERS) {
            for (store, argument) in case.all.iter().zip(handler.arguments.all) {
                let name = argument.store().0.name;
                let is_needed = argument.is_keyed || !argument.is_optional;
                if store.is_none() && is_needed && !missing.contains(&name) {
                    missing.push(name);
                }
            }
        }
        match missing.is_empty() {
            true => Ok(()),
            false => Err(StreamError { missing }),
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
            .field("n_arrived", &self.n_arrived)
            .finish_non_exhaustive()
    }
}

/// The reason why a stream processed no event.
pub struct StreamError {
    /// The missing resources of handlers, each once.
    pub missing: Vec<Name>,
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.missing.len() {
            1 => write!(f, "1 resource is missing; no event was processed")?,
            n => write!(f, "{n} resources are missing; no event was processed")?,
        }
        let mut missing = self.missing.iter();
        missing.try_for_each(|name| write!(f, "\n  {name:?} is missing: insert it before the call"))
    }
}

impl fmt::Debug for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for StreamError {}
