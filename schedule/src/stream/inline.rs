//! One event after the other, on the thread that has the stores.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::argument::NotThere;
use super::claim::{Claims, Granted};
use super::event::{Cases, Desk, Event, Handled};
use super::handler::Twice;
use super::outcome::{Outcome, Refusal};
use super::stores::Stores;
use super::traffic::Traffic;
use crate::failure::Panic;

/// Notes what an event names, or why its handler will not run.
#[inline]
pub(super) fn name<E: Event, C: Cases<E>>(
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
    match catch_unwind(AssertUnwindSafe(|| cases.name(event, desk))) {
        Ok(Ok(())) => {}
        Ok(Err(not_there)) => return Err(missing::<E>(claims.case, not_there)),
        Err(panic) => return Err(Refusal::Panicked(Panic::new(panic))),
    }
    match claims.twice() {
        None => Ok(()),
        Some(clash) => settle::<E>(claims, clash),
    }
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
                |nth: usize| &handler.arguments.all[usize::from(claims.all[nth].argument)];
            Err(Refusal::Twice {
                first: argument(first).name,
                second: argument(second).name,
                of: argument(first).of,
            })
        }
        Twice::Skip => Err(Refusal::Skipped),
        Twice::First => loop {
            claims.all[second].address = None;
            match claims.twice() {
                None => return Ok(()),
                Some(clash) => second = clash.1,
            }
        },
    }
}

/// Calls the handler of an event.
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
) -> Result<Handled<E>, Refusal<E::Error>> {
    // SAFETY: said by the caller.
    let granted = unsafe { Granted::new(claims) };
    match catch_unwind(AssertUnwindSafe(|| cases.handle(event, granted))) {
        Ok(Ok(handled)) => Ok(handled),
        Ok(Err(not_there)) => Err(missing::<E>(claims.case, not_there)),
        Err(panic) => Err(Refusal::Panicked(Panic::new(panic))),
    }
}

/// Processes events on this thread as long as `goes_on`. Whether there are more.
///
/// # Safety
///
/// The stores were found in resources that are borrowed exclusively, and no event is on its way.
#[expect(unsafe_code, reason = "runs one event after the other")]
pub(super) unsafe fn process<E, C, I, S>(
    cases: &C,
    stores: &mut Stores,
    claims: &mut Claims,
    traffic: &mut Traffic<E, I, S>,
    stops: bool,
    n: usize,
) -> bool
where
    E: Event,
    C: Cases<E>,
    I: Iterator<Item = E>,
    S: FnMut(Outcome<E>),
{
    for _ in 0..n {
        if traffic.has_doubts() {
            // SAFETY: said by the caller.
            unsafe { stores.settle() };
            traffic.n_doubts = 0;
        }
        let position = traffic.n_arrived();
        let Some(event) = traffic.next() else {
            return false;
        };
        let mut named = name(cases, stores, &event, claims);
        if traffic.is_stopped {
            named = Err(Refusal::Stopped);
        }
        traffic.n_doubts += claims.n_doubts;
        // SAFETY: no other event is on its way; the stores are borrowed.
        let result = named.and_then(|()| unsafe { handle(cases, &event, claims) });
        if stops && has_failed(&result) {
            traffic.is_stopped = true;
        }
        traffic.tell(position, event, claims.case, result);
    }
    true
}

/// Whether a handler failed or panicked.
#[inline]
pub(super) fn has_failed<E: Event>(result: &Result<Handled<E>, Refusal<E::Error>>) -> bool {
    match result {
        Ok(handled) => handled.result.is_err(),
        Err(refusal) => matches!(refusal, Refusal::Panicked(_)),
    }
}
