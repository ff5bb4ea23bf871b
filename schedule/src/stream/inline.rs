//! One event after the other, on the thread that has the stores.

use core::any::Any;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::argument::NotThere;
use super::claim::{Claims, Granted};
use super::event::{Cases, Desk, Event, Handled};
use super::handler::Twice;
use super::outcome::Refusal;
use super::stores::Stores;
use super::traffic::{Incoming, Input, Sink, Traffic};
use crate::executor::idle::{LINGER, idle};
use crate::failure::Panic;

/// A thread that sleeps looks after this long, if nobody wakes it.
pub(super) const NAP: Duration = Duration::from_millis(1);

/// Notes what an event names, or why its handler will not run.
#[inline]
pub(super) fn name<E: Event, C: Cases<E>>(
    cases: &C,
    stores: &Stores,
    event: &E,
    claims: &mut Claims,
) -> Result<(), Refusal<E::Error>> {
    let named = catch_unwind(AssertUnwindSafe(|| {
        name_or_panic(cases, stores, event, claims)
    }));
    named.unwrap_or_else(|panic| Err(panicked(panic)))
}

#[inline(always)]
fn name_or_panic<E: Event, C: Cases<E>>(
    cases: &C,
    stores: &Stores,
    event: &E,
    claims: &mut Claims,
) -> Result<(), Refusal<E::Error>> {
    claims.clear();
    let desk = Desk {
        stores: &stores.cases,
        claims,
    };
    if let Err(not_there) = cases.name(event, desk) {
        return Err(missing::<E>(claims.case, not_there));
    }
    match claims.twice() {
        None => Ok(()),
        Some(clash) => settle::<E>(claims, clash),
    }
}

#[cold]
fn panicked<X>(payload: Box<dyn Any + Send>) -> Refusal<X> {
    Refusal::Panicked(Box::new(Panic::new(payload)))
}

#[cold]
fn missing<E: Event>(case: usize, not_there: NotThere) -> Refusal<E::Error> {
    let argument = &E::HANDLERS[case].arguments.all[usize::from(not_there.argument)];
    Refusal::NotThere {
        parameter: argument.name,
        of: argument.of,
    }
}

/// What becomes of an event that names one entity twice.
#[cold]
fn settle<E: Event>(
    claims: &mut Claims,
    (first, mut second): (usize, usize),
) -> Result<(), Refusal<E::Error>> {
    let handler = &E::HANDLERS[claims.case];
    match handler.twice {
        Twice::Refuse => {
            let argument =
                |nth: usize| &handler.arguments.all[usize::from(claims.get(nth).argument)];
            Err(Refusal::Twice {
                first: argument(first).name,
                second: argument(second).name,
                of: argument(first).of,
            })
        }
        Twice::Skip => Err(Refusal::Skipped),
        Twice::First => loop {
            claims.give_up(second);
            match claims.twice() {
                None => return Ok(()),
                Some(clash) => second = clash.1,
            }
        },
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
    result: &mut Option<Result<Handled<E>, Refusal<E::Error>>>,
) {
    let handled = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: said by the caller.
        *result = Some(unsafe { handle_or_panic(cases, event, claims) });
    }));
    if let Err(panic) = handled {
        *result = Some(Err(panicked(panic)));
    }
}

/// # Safety
///
/// As for [`Granted::new`].
#[inline(always)]
#[expect(unsafe_code, reason = "hands on what the caller says")]
unsafe fn handle_or_panic<E: Event, C: Cases<E>>(
    cases: &C,
    event: &E,
    claims: &Claims,
) -> Result<Handled<E>, Refusal<E::Error>> {
    // SAFETY: said by the caller.
    let granted = unsafe { Granted::new(claims) };
    let handled = cases.handle(event, granted);
    handled.map_err(|not_there| missing::<E>(claims.case, not_there))
}

/// Processes so many events on this thread. Whether there may be more.
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
    n: usize,
) -> bool
where
    E: Event,
    C: Cases<E>,
    I: Input<E>,
    S: Sink<E>,
{
    for _ in 0..n {
        if traffic.wants_rest() {
            // SAFETY: said by the caller.
            unsafe { stores.settle() };
            traffic.rest();
        }
        let position = traffic.n_arrived();
        let event = match traffic.next() {
            Incoming::Event(event) => event,
            Incoming::Over => return false,
            Incoming::NotYet => {
                wait(|| traffic.has_more());
                return true;
            }
        };
        let is_stopped = traffic.is_stopped;
        // Written where it is read: a result that comes out of `catch_unwind` is copied twice, which takes longer than all
        // the rest.
        let mut result = Some(Err(Refusal::Stopped));
        let processed = catch_unwind(AssertUnwindSafe(|| {
            if let Err(refusal) = name_or_panic(cases, stores, &event, claims) {
                result = Some(Err(refusal));
            } else if !is_stopped {
                if claims.is_alone {
                    // SAFETY: said by the caller.
                    unsafe { stores.settle_for(claims.case) };
                }
                // SAFETY: no other event is on its way; the stores are borrowed.
                result = Some(unsafe { handle_or_panic(cases, &event, claims) });
            }
        }));
        if let Err(panic) = processed {
            result = Some(Err(panicked(panic)));
        }
        traffic.n_doubts += claims.n_doubts;
        if stops && has_failed(&result) {
            traffic.is_stopped = true;
        }
        if let Some(result) = &mut result {
            traffic.tell(position, event, claims.case, result);
        }
    }
    true
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
pub(super) fn has_failed<E: Event>(result: &Option<Result<Handled<E>, Refusal<E::Error>>>) -> bool {
    match result {
        Some(Ok(handled)) => matches!(handled.result, Some(Err(_))),
        Some(Err(refusal)) => matches!(refusal, Refusal::Panicked(_)),
        None => false,
    }
}
