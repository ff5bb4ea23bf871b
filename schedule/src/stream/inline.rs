//! One event after the other, on the thread that has the stores.

use core::any::TypeId;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;

use super::claim::{Claims, Granted};
use super::event::{Alone, Cases, Desk, Event, Handled, resolve_twice};
use super::reason::Reason;
use super::stores::Stores;
use super::traffic::{Incoming, Input, Sink, Traffic};
use crate::executor::idle::{LINGER, idle};

/// A thread that sleeps looks after this long, if nobody wakes it.
pub(super) const NAP: Duration = Duration::from_millis(1);

/// Notes what an event names, or why its handler will not run.
#[inline]
pub(super) fn name<E: Event, C: Cases<E>>(
    cases: &C,
    stores: &Stores,
    event: &E,
    claims: &mut Claims,
) -> Result<(), Reason> {
    let desk = Desk {
        stores: &stores.cases,
        claims,
    };
    let named = catch_unwind(AssertUnwindSafe(|| cases.name(event, desk)));
    match named {
        Ok(Ok(())) => resolve_twice::<E>(claims),
        Ok(Err(not_there)) => Err(Reason::NotThere(not_there)),
        Err(panic) => Err(Reason::panicked(panic)),
    }
}

/// Calls the handler of an event, and writes what it made of it.
///
/// # Safety
///
/// As for [`Granted::new`].
#[inline]
#[expect(unsafe_code, reason = "hands on what the caller says")]
pub(super) unsafe fn handle<E: Event, C: Cases<E>>(
    cases: &C,
    event: &E,
    claims: &Claims,
    recipe: TypeId,
    result: &mut Option<Result<Handled<E>, Reason>>,
) {
    let handled = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: said by the caller.
        let granted = unsafe { Granted::new(claims, recipe) };
        *result = Some(cases.handle(event, granted).map_err(Reason::NotThere));
    }));
    if let Err(panic) = handled {
        *result = Some(Err(Reason::panicked(panic)));
    }
}

/// Processes so many events on this thread, if there are so many. What came after them, as far as that was looked at.
///
/// # Safety
///
/// The stores were found in resources that are borrowed exclusively, and no event is on its way.
#[expect(unsafe_code, reason = "runs one event after the other")]
pub(super) unsafe fn process<E, C, I, S>(
    cases: &C,
    stores: &mut Stores,
    claims: &mut Claims,
    traffic: &mut Traffic<'_, E, I, S>,
    stops: bool,
    mut n: usize,
) -> Incoming<()>
where
    E: Event,
    C: Cases<E>,
    I: Input<E>,
    S: Sink<E>,
{
    loop {
        let mut underway = None;
        // One for all events, so that what becomes of them need not go through memory.
        let processed = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: said by the caller.
            unsafe { process_all(cases, stores, claims, traffic, stops, &mut n, &mut underway) }
        }));
        match (processed, underway) {
            (Ok(next), _) => return next,
            (Err(panic), Some(event)) => {
                traffic.n_doubts += u32::from(claims.n_doubts);
                traffic.is_stopped |= stops;
                let position = traffic.n_arrived() - 1;
                traffic.tell(position, event, claims.case, Err(Reason::panicked(panic)));
            }
            // Of whoever gives events or is told of outcomes.
            (Err(panic), None) => resume_unwind(panic),
        }
    }
}

/// The same until a handler panics, or what names its keys: the event is `underway` then.
///
/// # Safety
///
/// As for `process`.
#[expect(unsafe_code, reason = "runs one event after the other")]
#[inline(always)]
unsafe fn process_all<E, C, I, S>(
    cases: &C,
    stores: &mut Stores,
    claims: &mut Claims,
    traffic: &mut Traffic<'_, E, I, S>,
    stops: bool,
    n: &mut usize,
    underway: &mut Option<E>,
) -> Incoming<()>
where
    E: Event,
    C: Cases<E>,
    I: Input<E>,
    S: Sink<E>,
{
    while *n > 0 {
        *n -= 1;
        if traffic.wants_rest() {
            // SAFETY: said by the caller.
            unsafe { stores.settle() };
            traffic.rest();
        }
        let position = traffic.n_arrived();
        let event = match traffic.next(underway) {
            Incoming::Event(event) => event,
            Incoming::Over => return Incoming::Over,
            Incoming::NotYet => return Incoming::NotYet,
        };
        let (case, result) = if traffic.is_stopped || traffic.around.is_some() {
            // SAFETY: as below.
            let result = unsafe { process_apart(cases, stores, claims, traffic, position, event) };
            (claims.case, result)
        } else {
            // SAFETY: no other event is on its way; the stores are borrowed.
            let alone = unsafe { Alone::new(stores, claims) };
            cases.run(event, alone)
        };
        traffic.n_doubts += u32::from(claims.n_doubts);
        traffic.is_stopped |= stops && has_failed(&result);
        if let Some(event) = underway.take() {
            traffic.tell(position, event, case, result);
        }
    }
    Incoming::Event(())
}

/// The same for one event, in two steps: where no handler is called any more, or somebody listens to what is.
///
/// # Safety
///
/// As for `process`.
#[cold]
#[expect(unsafe_code, reason = "runs one event after the other")]
unsafe fn process_apart<E, C, I, S>(
    cases: &C,
    stores: &Stores,
    claims: &mut Claims,
    traffic: &Traffic<'_, E, I, S>,
    position: u64,
    event: &E,
) -> Result<Handled<E>, Reason>
where
    E: Event,
    C: Cases<E>,
{
    name(cases, stores, event, claims)?;
    if traffic.is_stopped {
        return Err(Reason::Stopped);
    }
    let handler = || E::HANDLERS[usize::from(claims.case)].name.base();
    let _span = traffic.around.handler(handler, position);
    // SAFETY: no other event is on its way; the stores are borrowed.
    let alone = unsafe { Alone::new(stores, claims) };
    // SAFETY: it has named what it touches.
    let granted = unsafe { alone.granted() };
    cases.handle(event, granted).map_err(Reason::NotThere)
}

/// Waits until something has come.
pub(super) fn wait(has_come: impl Fn() -> bool) {
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
        Err(reason) => matches!(reason, Reason::Panicked(_)),
    }
}
