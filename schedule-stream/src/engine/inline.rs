//! Sequential processing on the thread that has the stores, and naming and handling of one event for all modes.

use core::any::TypeId;
use core::cell::Cell;
use core::ptr::NonNull;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use crate::base::footprint::{Footprint, Granted, Use};
use crate::base::position::EventInfo;
use crate::engine::traffic::{Incoming, Traffic};
use crate::program::event::{
    Cases, ClearFootprint, Event, Handled, IsExclusive, LocateRecords, OnlyEvent, PrefetchRecords,
    Resolver,
};
use crate::program::handler;
use crate::program::recipe::Unclear;
use crate::store::atomic::CallResult;
use crate::store::reason::Reason;
use crate::store::stores::Stores;
use schedule::internal::{FirstPanic, HAS_THREADS, PARK_AFTER, Payload, drop_caught, idle};

/// A sleeping thread looks for work after this time, even if no thread wakes it.
pub(crate) const NAP: Duration = Duration::from_millis(1);

/// Writes the footprint of an event, and calls `visit` with each entry. Returns the reason if the handler will not run.
#[inline]
pub(crate) fn locate<E: Event, C: Cases<E>>(
    cases: &C,
    stores: &Stores,
    event: &E,
    footprint: &mut Footprint,
    visit: impl FnMut(NonNull<()>, Use),
) -> Result<(), Reason> {
    let named = catch_unwind(AssertUnwindSafe(|| {
        let visitor = LocateRecords {
            stores: &stores.cases,
            footprint: &mut *footprint,
            visit,
        };
        match cases.visit(event, visitor) {
            Ok(()) => Ok(()),
            Err(unclear) => resolve(cases, stores, event, footprint, unclear),
        }
    }));
    named.unwrap_or_else(|panic| Err(Reason::panicked(panic, false)))
}

/// Completes a footprint that may contain an alias.
#[cold]
fn resolve<E: Event, C: Cases<E>>(
    cases: &C,
    stores: &Stores,
    event: &E,
    footprint: &mut Footprint,
    unclear: Unclear,
) -> Result<(), Reason> {
    let resolver = Resolver {
        stores: &stores.cases,
        footprint,
        unclear,
    };
    cases.visit(event, resolver)
}

/// Calls the handler of an event, and writes the result.
///
/// # Safety
///
/// As for [`Granted::new`].
#[inline]
#[expect(unsafe_code, reason = "has the contract of `Granted::new`")]
pub(crate) unsafe fn handle<E: Event, C: Cases<E>>(
    cases: &C,
    event: &E,
    info: &EventInfo,
    footprint: &Footprint,
    recipe: TypeId,
    result: &mut Option<Result<Handled<E>, Reason>>,
) {
    let is_called = Cell::new(false);
    let handled = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the footprint was made by this recipe, and no conflicting event runs: the contract of this
        // function.
        let granted = unsafe { Granted::new(footprint, recipe, info, &is_called) };
        // `result` is `None`. `get_or_insert` spares the compiler the code that drops a previous result.
        result.get_or_insert(cases.visit(event, granted).map_err(Reason::Missing));
    }));
    if let Err(panic) = handled {
        *result = Some(Err(Reason::panicked(panic, is_called.get())));
    }
}

/// If records take more memory than this, they do not fit into the cache, and are prefetched.
const MANY_BYTES: usize = 4 << 20;
/// Maximum number of events whose records are prefetched. A processor supports about as many outstanding cache misses.
const MOST_AHEAD: usize = 15;
/// Maximum size of an event that may arrive ahead, in bytes, because the stack is small.
const MOST_BYTES_AHEAD: usize = 256;

/// The current event and events that have arrived ahead of it. They are not moved: a move right after a write stalls.
struct InlineWindow<const N: usize, E> {
    /// The events, in a ring.
    events: [Option<E>; N],
    /// Number of events before the current one.
    at: usize,
    /// Number of events that have arrived after the current one.
    n_ahead: usize,
    /// Whether the last event that arrived is exclusive. Its doubts are known only after it has ended, so the next
    /// event must not arrive before that.
    is_last_exclusive: bool,
    /// A panic of the input that occurred while an event was requested ahead.
    panic: Option<Payload>,
}

/// Processes up to `n` events on this thread. Returns the result of the last request for an event.
///
/// # Safety
///
/// The stores were found in resources that are borrowed exclusively, and no event is in flight.
#[expect(unsafe_code, reason = "runs one event after the other")]
pub(crate) unsafe fn run_events<E, C>(
    cases: &C,
    stores: &mut Stores,
    footprint: &mut Footprint,
    traffic: &mut Traffic<'_, E>,
    stops: bool,
    n: usize,
) -> Incoming
where
    E: Event,
    C: Cases<E>,
{
    // SAFETY: the resources are borrowed exclusively, and no event is in flight: the contract of this function.
    let n_bytes = unsafe { stores.n_bytes() };
    let is_ahead = n_bytes > MANY_BYTES && !traffic.is_one_by_one();
    if is_ahead && size_of::<E>() <= MOST_BYTES_AHEAD {
        // SAFETY: the resources are borrowed exclusively, and no event is in flight: the contract of this function.
        unsafe {
            run_window::<{ 1 + MOST_AHEAD }, _, _>(cases, stores, footprint, traffic, stops, n)
        }
    } else {
        // SAFETY: the resources are borrowed exclusively, and no event is in flight: the contract of this function.
        unsafe { run_window::<1, _, _>(cases, stores, footprint, traffic, stops, n) }
    }
}

/// `N` is the capacity of the window. If it is above 1, the records of events ahead are prefetched.
///
/// # Safety
///
/// As for `run_events`.
#[expect(unsafe_code, reason = "runs one event after the other")]
unsafe fn run_window<const N: usize, E, C>(
    cases: &C,
    stores: &mut Stores,
    footprint: &mut Footprint,
    traffic: &mut Traffic<'_, E>,
    stops: bool,
    n: usize,
) -> Incoming
where
    E: Event,
    C: Cases<E>,
{
    let mut window = InlineWindow::<N, _> {
        events: [const { None }; N],
        at: 0,
        n_ahead: 0,
        is_last_exclusive: false,
        panic: None,
    };
    // The position of the first event that must not arrive in this call. Events that panic count too.
    let end = traffic.n_arrived().saturating_add(n as u64);
    loop {
        // One `catch_unwind` for all events, so that results stay in registers.
        let processed = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the resources are borrowed exclusively, and no event is in flight: the contract of this function.
            unsafe {
                run_until_panic::<N, _, _>(
                    cases,
                    stores,
                    footprint,
                    traffic,
                    stops,
                    end,
                    &mut window,
                )
            }
        }));
        match processed {
            Ok(next) => return next,
            Err(panic) if window.event().is_some() => {
                // SAFETY: the resources are borrowed exclusively: the contract of this function. The only event that
                // ran has ended with this panic.
                unsafe { traffic.doubt(footprint.n_doubts, stores) };
                traffic.end_handler(footprint.case, footprint.is_called.get());
                if stops {
                    traffic.stop();
                }
                let reported = catch_unwind(AssertUnwindSafe(|| {
                    let result = Err(Reason::panicked(panic, footprint.is_called.get()));
                    traffic.report(window.event(), footprint.case, result);
                }));
                if let Err(panic) = reported {
                    window.give_up(panic);
                }
            }
            // A panic of the input or the outcome callback.
            Err(panic) => window.give_up(panic),
        }
    }
}

impl<const N: usize, E> InlineWindow<N, E> {
    /// Returns the current event.
    #[inline(always)]
    fn event(&mut self) -> &mut Option<E> {
        &mut self.events[self.at % N]
    }

    /// Advances to the next event, if it has arrived.
    #[inline(always)]
    fn go_on(&mut self) -> bool {
        let has_come = self.n_ahead() > 0;
        if has_come {
            self.at += 1;
            self.n_ahead -= 1;
        }
        has_come
    }

    /// Returns the number of events that have arrived after the current one.
    #[inline(always)]
    fn n_ahead(&self) -> u64 {
        // A constant for `N` = 1 lets the compiler remove code.
        if N > 1 { self.n_ahead as u64 } else { 0 }
    }

    /// Drops all events and unwinds, after a panic of the input or the outcome callback.
    #[cold]
    fn give_up(&mut self, panic: Payload) -> ! {
        let mut panics = FirstPanic::of(panic);
        panics.drop_each(self.events.iter_mut().map(Option::take));
        if let Some(panic) = self.panic.take() {
            panics.add(panic);
        }
        panics.resume();
        unreachable!("a panic was recorded");
    }

    /// Returns whether another event may arrive ahead.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.n_ahead < N - 1 && !self.is_last_exclusive && self.panic.is_none()
    }

    /// Returns the place of that event.
    #[inline(always)]
    fn room(&mut self) -> &mut Option<E> {
        &mut self.events[(self.at + 1 + self.n_ahead) % N]
    }
}

/// Processes events until a handler or a key expression panics: the current event of `window` is then the one that
/// panicked. No event arrives at position `end` or later.
///
/// # Safety
///
/// As for `run_events`.
#[expect(unsafe_code, reason = "runs one event after the other")]
#[inline(always)]
unsafe fn run_until_panic<const N: usize, E, C>(
    cases: &C,
    stores: &mut Stores,
    footprint: &mut Footprint,
    traffic: &mut Traffic<'_, E>,
    stops: bool,
    end: u64,
    window: &mut InlineWindow<N, E>,
) -> Incoming
where
    E: Event,
    C: Cases<E>,
{
    loop {
        if !window.go_on() {
            if traffic.n_arrived() >= end {
                return Incoming::Event;
            }
            if let Some(panic) = window.panic.take() {
                resume_unwind(panic);
            }
            if traffic.wants_rest() {
                // SAFETY: the resources are borrowed exclusively: the contract of `run_events`. All events that arrived
                // have ended.
                unsafe { stores.count_records() };
                traffic.rest();
            }
            match traffic.next(window.event()) {
                Incoming::Event => {
                    if N > 1
                        && let Some(event) = window.event()
                    {
                        window.is_last_exclusive = cases.visit(event, IsExclusive(&stores.cases));
                    }
                }
                other => return other,
            }
        }
        // Without events ahead, one dynamic call reports an event and asks for the next one.
        loop {
            // All in a row, so that their cache misses overlap.
            let is_last = window.n_ahead() == 0;
            while is_last
                && window.has_room()
                && traffic.n_arrived() < end
                && traffic.may_come_ahead(1 + window.n_ahead)
            {
                match come_ahead(cases, stores, footprint, traffic, window.room()) {
                    Ok(Some(is_exclusive)) => {
                        window.n_ahead += 1;
                        window.is_last_exclusive = is_exclusive;
                    }
                    Ok(None) => break,
                    Err(panic) => window.panic = Some(panic),
                }
            }
            let event = window.event();
            let Some(of) = event else { break };
            let own;
            let info = if const { handler::need_info(E::HANDLERS) } {
                own = traffic.reported_info();
                &own
            } else {
                &EventInfo::NOTHING
            };
            let is_apart = traffic.is_apart() || traffic.is_refused();
            let (case, result) = if is_apart {
                // SAFETY: the resources are borrowed exclusively, and no other event runs: the contract of `run_events`.
                let result = unsafe { handle_in_steps(cases, stores, footprint, traffic, of) };
                (footprint.case, result)
            } else {
                // SAFETY: the resources are borrowed exclusively: the contract of `run_events`. Events run one at a time,
                // and the previous one has ended.
                let only_event = unsafe { OnlyEvent::new(stores, footprint, info) };
                cases.visit(of, only_event)
            };
            // SAFETY: the resources are borrowed exclusively: the contract of `run_events`. The only event that ran has
            // ended.
            unsafe { traffic.doubt(footprint.n_doubts, stores) };
            if stops && has_failed(&result, info) {
                traffic.stop();
            }
            if N > 1 || traffic.n_arrived() >= end || traffic.wants_rest() {
                traffic.report(event, case, result);
                break;
            }
            match traffic.report_and_next(event, case, result) {
                Incoming::Event => {}
                other => return other,
            }
        }
    }
}

/// Lets an event arrive ahead, and prefetches its records. Returns whether the event is exclusive, `None` if there was
/// no event, or the panic of the input.
#[inline(always)]
fn come_ahead<E, C>(
    cases: &C,
    stores: &Stores,
    footprint: &mut Footprint,
    traffic: &mut Traffic<'_, E>,
    to: &mut Option<E>,
) -> Result<Option<bool>, Payload>
where
    E: Event,
    C: Cases<E>,
{
    let mut is_exclusive = None;
    let come = catch_unwind(AssertUnwindSafe(|| {
        if traffic.next_ahead(to)
            && let Some(event) = to
        {
            let stores = &stores.cases;
            is_exclusive = Some(cases.visit(&*event, IsExclusive(stores)));
            footprint.clear(0);
            cases.visit(&*event, PrefetchRecords { stores, footprint });
        }
    }));
    match (come, is_exclusive) {
        (Err(panic), None) => return Err(panic),
        // A key expression has panicked. It will panic again when the event is processed.
        (Err(panic), Some(_)) => drop_caught(panic),
        (Ok(()), _) => {}
    }
    Ok(is_exclusive)
}

/// Names and handles one event in two steps. Used if the event exceeds a limit or is a dead letter, if the stream is stopped, or if the
/// call has a span, is measured, or takes events one by one.
///
/// # Safety
///
/// As for `run_events`.
#[cold]
#[expect(unsafe_code, reason = "runs one event after the other")]
unsafe fn handle_in_steps<E, C>(
    cases: &C,
    stores: &Stores,
    footprint: &mut Footprint,
    traffic: &mut Traffic<'_, E>,
    event: &E,
) -> Result<Handled<E>, Reason>
where
    E: Event,
    C: Cases<E>,
{
    if let Some(reason) = traffic.take_refusal() {
        cases.visit(event, ClearFootprint(footprint));
        return Err(reason);
    }
    if traffic.is_dead_letter() {
        cases.visit(event, ClearFootprint(footprint));
        return Err(Reason::DeadLetter);
    }
    locate(cases, stores, event, footprint, |_, _| ())?;
    if traffic.is_stopped() {
        return Err(Reason::Stopped);
    }
    let handler = || E::HANDLERS[usize::from(footprint.case)].name.base();
    let info = traffic.reported_info();
    let span = traffic
        .parent_span
        .handler(handler, info.position.batch, info.position.index);
    // SAFETY: the resources are borrowed exclusively, and no other event runs: the contract of this function.
    let only_event = unsafe { OnlyEvent::new(stores, footprint, &info) };
    // SAFETY: `name` has completed the footprint for the case of this event.
    let granted = unsafe { only_event.granted() };
    if traffic.takes_sample() {
        traffic.start_handler();
    }
    let handled = cases.visit(event, granted).map_err(Reason::Missing);
    traffic.end_handler(footprint.case, handled.is_ok());
    // A subscriber may panic when the span ends. The event then counts as panicked.
    let mut panics = FirstPanic::default();
    panics.drop(span);
    if !panics.is_none() {
        if let Ok(handled) = handled {
            handled.forget();
        }
        panics.resume();
        unreachable!("a panic was recorded");
    }
    handled
}

/// Waits until `has_come` returns true.
pub(crate) fn wait(has_come: impl Fn() -> bool) {
    assert!(
        HAS_THREADS || has_come(),
        "`process_arrivals` would wait forever: there is one thread, so no event can be pushed; drop all producers before the call"
    );
    idle(|since| {
        if has_come() {
            return Some(());
        }
        if since > PARK_AFTER {
            thread::park_timeout(NAP);
        }
        None
    });
}

/// Returns whether the handler failed or panicked.
#[inline]
pub(crate) fn has_failed<E: Event>(result: &Result<Handled<E>, Reason>, info: &EventInfo) -> bool {
    match result {
        Ok(handled) => handled.has_failed(info),
        Err(reason) => reason.is_failure(),
    }
}
