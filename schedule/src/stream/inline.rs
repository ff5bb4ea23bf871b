//! One event after the other, on the thread that has the stores.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::argument::NotThere;
use super::claim::{Claims, Granted};
use super::event::{Cases, Desk, Event, Handled};
use super::handler::Twice;
use super::outcome::Refusal;
use super::stores::Stores;
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
