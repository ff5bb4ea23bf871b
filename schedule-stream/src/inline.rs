//! One event after the other, on the thread that has the stores.

use core::any::TypeId;
use core::cell::Cell;
use core::ptr::NonNull;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use super::event::{
    Cases, Event, Handled, IsExclusive, NameRecords, OnlyEvent, PrefetchRecords, Resolver,
};
use super::footprint::{Footprint, Granted, Use};
use super::reason::Reason;
use super::recipe::Unclear;
use super::stores::Stores;
use super::traffic::{Incoming, Traffic};
use schedule::internal::{FirstPanic, HAS_THREADS, LINGER, Payload, drop_caught, idle};

/// A thread that sleeps looks after this long, if nobody wakes it.
pub(super) const NAP: Duration = Duration::from_millis(1);

/// Notes what an event names, and tells of it; or why its handler will not run.
#[inline]
pub(super) fn name<E: Event, C: Cases<E>>(
    cases: &C,
    stores: &Stores,
    event: &E,
    footprint: &mut Footprint,
    visit: impl FnMut(NonNull<()>, Use),
) -> Result<(), Reason> {
    let named = catch_unwind(AssertUnwindSafe(|| {
        let desk = NameRecords {
            stores: &stores.cases,
            footprint: &mut *footprint,
            visit,
        };
        match cases.visit(event, desk) {
            Ok(()) => Ok(()),
            Err(unclear) => resolve(cases, stores, event, footprint, unclear),
        }
    }));
    named.unwrap_or_else(|panic| Err(Reason::panicked(panic, false)))
}

/// The same, where it was not clear.
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

/// Calls the handler of an event, and writes what it made of it.
///
/// # Safety
///
/// As for [`Granted::new`].
#[inline]
#[expect(unsafe_code, reason = "passes on the contract of its caller")]
pub(super) unsafe fn handle<E: Event, C: Cases<E>>(
    cases: &C,
    event: &E,
    footprint: &Footprint,
    recipe: TypeId,
    result: &mut Option<Result<Handled<E>, Reason>>,
) {
    let is_called = Cell::new(false);
    let handled = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the footprint was made by this recipe, and no conflicting event runs: the contract of this
        // function.
        let granted = unsafe { Granted::new(footprint, recipe, &is_called) };
        // There is none: that way, the compiler need not look what else becomes of one.
        result.get_or_insert(cases.visit(event, granted).map_err(Reason::Missing));
    }));
    if let Err(panic) = handled {
        *result = Some(Err(Reason::panicked(panic, is_called.get())));
    }
}

/// Records that take more memory are not all near: it is asked for what the next events name.
const MANY_BYTES: usize = 4 << 20;
/// So many of them, each of which names some: a processor waits for about as many lines at once.
const MOST_AHEAD: usize = 15;
/// Events that take more are moved one by one, as a stack has little room.
const MOST_BYTES_AHEAD: usize = 256;

/// Events that have arrived. They stay where they are, since to move what was just written has to wait for it.
struct InlineWindow<const N: usize, E> {
    /// In a ring.
    events: [Option<E>; N],
    /// How many were processed before the one that is, if it is there.
    at: usize,
    /// How many have arrived behind it.
    n_ahead: usize,
    /// Whether the last of them takes a store as a whole: how many doubts it leaves is not known before it is over, and so whether
    /// the next one may arrive before a rest.
    is_last_exclusive: bool,
    /// Of the input, when one was asked for ahead.
    panic: Option<Payload>,
}

/// Processes so many events on this thread, if there are so many. What came after them, as far as that was looked at.
///
/// # Safety
///
/// The stores were found in resources that are borrowed exclusively, and no event is in flight.
#[expect(unsafe_code, reason = "runs one event after the other")]
pub(super) unsafe fn process<E, C>(
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
    // SAFETY: the stores were found in resources that are borrowed exclusively, and no event is in flight.
    let n_bytes = unsafe { stores.n_bytes() };
    if n_bytes > MANY_BYTES && size_of::<E>() <= MOST_BYTES_AHEAD {
        // SAFETY: the same contract: the resources are borrowed exclusively, and no event is in flight.
        unsafe {
            process_so::<{ 1 + MOST_AHEAD }, _, _>(cases, stores, footprint, traffic, stops, n)
        }
    } else {
        // SAFETY: the same contract: the resources are borrowed exclusively, and no event is in flight.
        unsafe { process_so::<1, _, _>(cases, stores, footprint, traffic, stops, n) }
    }
}

/// `N`: so many events are there at once. If more than one, the memory of records is asked for ahead.
///
/// # Safety
///
/// As for `process`.
#[expect(unsafe_code, reason = "runs one event after the other")]
unsafe fn process_so<const N: usize, E, C>(
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
    let mut underway = InlineWindow::<N, _> {
        events: [const { None }; N],
        at: 0,
        n_ahead: 0,
        is_last_exclusive: false,
        panic: None,
    };
    // The position of the first event that does not arrive here. Events that panic count as well.
    let end = traffic.n_arrived().saturating_add(n as u64);
    loop {
        // One for all events, so that what becomes of them need not go through memory.
        let processed = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: the same contract: the resources are borrowed exclusively, and no event is in flight.
            unsafe {
                process_all::<N, _, _>(cases, stores, footprint, traffic, stops, end, &mut underway)
            }
        }));
        match processed {
            Ok(next) => return next,
            Err(panic) if underway.event().is_some() => {
                // SAFETY: the resources are borrowed exclusively, and the event has ended, so no event runs.
                unsafe { traffic.doubt(footprint.n_doubts, stores) };
                traffic.is_stopped |= stops;
                let position = traffic.n_arrived() - 1 - underway.n_ahead();
                let reported = catch_unwind(AssertUnwindSafe(|| {
                    let result = Err(Reason::panicked(panic, footprint.is_called.get()));
                    traffic.report(position, underway.event(), footprint.case, result);
                }));
                if let Err(panic) = reported {
                    underway.give_up(panic);
                }
            }
            // Of the input or the outcome callback.
            Err(panic) => underway.give_up(panic),
        }
    }
}

impl<const N: usize, E> InlineWindow<N, E> {
    /// The event that is processed.
    #[inline(always)]
    fn event(&mut self) -> &mut Option<E> {
        &mut self.events[self.at % N]
    }

    /// Goes on to the next event, if it has arrived.
    #[inline(always)]
    fn go_on(&mut self) -> bool {
        let has_come = self.n_ahead() > 0;
        if has_come {
            self.at += 1;
            self.n_ahead -= 1;
        }
        has_come
    }

    /// How many have arrived behind the event that is processed.
    #[inline(always)]
    fn n_ahead(&self) -> u64 {
        // Of one, none comes ahead: the compiler cannot know.
        if N > 1 { self.n_ahead as u64 } else { 0 }
    }

    /// Drops all of them, since the input or the outcome callback has panicked.
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

    /// Whether there is room for one more that arrives ahead.
    #[inline(always)]
    fn has_room(&self) -> bool {
        self.n_ahead < N - 1 && !self.is_last_exclusive && self.panic.is_none()
    }

    /// Where that is to be.
    #[inline(always)]
    fn room(&mut self) -> &mut Option<E> {
        &mut self.events[(self.at + 1 + self.n_ahead) % N]
    }
}

/// The same until a handler panics, or what names its keys: the event is `underway` then. No event arrives at the position `end`
/// or later.
///
/// # Safety
///
/// As for `process`.
#[expect(unsafe_code, reason = "runs one event after the other")]
#[inline(always)]
unsafe fn process_all<const N: usize, E, C>(
    cases: &C,
    stores: &mut Stores,
    footprint: &mut Footprint,
    traffic: &mut Traffic<'_, E>,
    stops: bool,
    end: u64,
    underway: &mut InlineWindow<N, E>,
) -> Incoming
where
    E: Event,
    C: Cases<E>,
{
    loop {
        if !underway.go_on() {
            if traffic.n_arrived() >= end {
                return Incoming::Event;
            }
            if let Some(panic) = underway.panic.take() {
                resume_unwind(panic);
            }
            if traffic.wants_rest() {
                // SAFETY: the resources are borrowed exclusively, and all events that arrived have ended.
                unsafe { stores.settle() };
                traffic.rest();
            }
            match traffic.next(underway.event()) {
                Incoming::Event => {
                    if N > 1
                        && let Some(event) = underway.event()
                    {
                        underway.is_last_exclusive = cases.visit(event, IsExclusive(&stores.cases));
                    }
                }
                Incoming::Over => return Incoming::Over,
                Incoming::NotYet => return Incoming::NotYet,
            }
        }
        // Of one at a time, the next one is asked for as the last one is told: that is one call of what the compiler does not know.
        loop {
            // One after the other, so that the processor looks for what several name at the same time.
            let is_last = underway.n_ahead() == 0;
            while is_last
                && underway.has_room()
                && traffic.n_arrived() < end
                && traffic.may_come_ahead(1 + underway.n_ahead)
            {
                match come_ahead(cases, stores, footprint, traffic, underway.room()) {
                    Ok(Some(is_exclusive)) => {
                        underway.n_ahead += 1;
                        underway.is_last_exclusive = is_exclusive;
                    }
                    Ok(None) => break,
                    Err(panic) => underway.panic = Some(panic),
                }
            }
            let n_ahead = underway.n_ahead();
            let event = underway.event();
            let Some(of) = event else { break };
            let (case, result) = if traffic.is_stopped || traffic.around.is_some() {
                let position = traffic.n_arrived() - 1 - n_ahead;
                // SAFETY: as below.
                let result =
                    unsafe { process_apart(cases, stores, footprint, traffic, position, of) };
                (footprint.case, result)
            } else {
                // SAFETY: no other event has named anything; the stores are borrowed.
                let only_event = unsafe { OnlyEvent::new(stores, footprint) };
                cases.visit(of, only_event)
            };
            // SAFETY: the resources are borrowed exclusively, and the event has ended, so no event runs.
            unsafe { traffic.doubt(footprint.n_doubts, stores) };
            if stops && has_failed(&result) {
                traffic.is_stopped = true;
            }
            let n_arrived = traffic.n_arrived();
            let position = n_arrived - 1 - n_ahead;
            if N > 1 || n_arrived >= end || !traffic.may_come_at_once() {
                traffic.report(position, event, case, result);
                break;
            }
            match traffic.report_and_next(position, event, case, result) {
                Incoming::Event => {}
                Incoming::Over => return Incoming::Over,
                Incoming::NotYet => return Incoming::NotYet,
            }
        }
    }
}

/// Lets an event arrive, and asks for the memory of what it will name. Whether it takes a store as a whole, if there was one; or what
/// the input panicked with.
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
        if let Incoming::Event = traffic.next(to)
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
        // What names its keys has panicked, and will again when it is its turn.
        (Err(panic), Some(_)) => drop_caught(panic),
        (Ok(()), _) => {}
    }
    Ok(is_exclusive)
}

/// The same for one event, in two steps: where no handler is called any more, or somebody listens to what is.
///
/// # Safety
///
/// As for `process`.
#[cold]
#[expect(unsafe_code, reason = "runs one event after the other")]
unsafe fn process_apart<E, C>(
    cases: &C,
    stores: &Stores,
    footprint: &mut Footprint,
    traffic: &Traffic<'_, E>,
    position: u64,
    event: &E,
) -> Result<Handled<E>, Reason>
where
    E: Event,
    C: Cases<E>,
{
    name(cases, stores, event, footprint, |_, _| ())?;
    if traffic.is_stopped {
        return Err(Reason::Stopped);
    }
    let handler = || E::HANDLERS[usize::from(footprint.case)].name.base();
    let span = traffic.around.handler(handler, position);
    // SAFETY: no other event is in flight; the stores are borrowed.
    let only_event = unsafe { OnlyEvent::new(stores, footprint) };
    // SAFETY: it has named what it touches.
    let granted = unsafe { only_event.granted() };
    let handled = cases.visit(event, granted).map_err(Reason::Missing);
    // Who listens may panic as the span ends. That is taken for the handler.
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

/// Waits until something has come.
pub(super) fn wait(has_come: impl Fn() -> bool) {
    assert!(
        HAS_THREADS || has_come(),
        "`process_arrivals` would wait forever: there is one thread, so no event can be pushed; drop all producers before the call"
    );
    idle(|since| {
        if has_come() {
            return Some(());
        }
        if since > LINGER {
            thread::park_timeout(NAP);
        }
        None
    });
}

/// Whether a handler failed or panicked.
#[inline]
pub(super) fn has_failed<E: Event>(result: &Result<Handled<E>, Reason>) -> bool {
    match result {
        Ok(handled) => handled.result.is_err(),
        Err(reason) => reason.is_panic(),
    }
}
