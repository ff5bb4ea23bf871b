//! The part of a serial run that calls systems directly.
//!
//! Invariant: that of [`serial`](super::serial), whose `run` is the caller. In addition, the nodes are in the order of execution.
#![expect(
    unsafe_code,
    reason = "calls systems, whose conditions the caller keeps"
)]

use super::serial::Cursor;
use super::step::RunContext;
use crate::failure::Cause;
use crate::node::{RunNode, Work};
use crate::outcome::{Outcome, Outcomes};

/// Runs nodes as long as they are direct. Evaluates the guard of a [stretch](crate::stretches) once.
///
/// No node is skipped or disabled, so only guards decide which of them run. `place.next` is the only part of the cursor that changes.
///
/// A separate function, so that the compiler keeps the values of its loops in registers.
#[inline(never)]
pub(super) fn run_direct(
    by_rank: &mut [RunNode],
    place: &mut Cursor,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    let outcomes = run_context.outcomes;
    loop {
        let rank = place.next;
        let Some(node) = by_rank.get_mut(rank as usize) else {
            return Ok(());
        };
        let system = match &mut node.work {
            Work::System(system) if node.is_direct => system,
            // A checkpoint.
            Work::Nothing => {
                place.next += 1;
                continue;
            }
            _ => return Ok(()),
        };
        let is_due = match node.only_if {
            Some(answer) => outcomes.is_answer(answer),
            None => !node.is_guarded || run_context.guard_holds(rank),
        };
        if node.has_answer {
            place.next += 1;
            let outcome = match is_due {
                false => Outcome::GuardFalse,
                // SAFETY: as in `run_stretch`.
                true => Outcome::Finished(
                    unsafe { system.run(run_context.from) }.map_err(Cause::Error)?,
                ),
            };
            outcomes.set(rank, outcome);
            continue;
        }
        // All systems of the stretch have the outcomes of the first one.
        let (end, is_guarded) = (node.stretch_end as usize, node.is_guarded);
        let end = by_rank.len().min(end);
        if is_guarded && outcomes.is_guard_false(rank) == is_due {
            note_stretch(&by_rank[..end], rank, outcomes, is_due);
        }
        match is_due {
            true => run_stretch(&mut by_rank[..end], place, run_context)?,
            false => place.next = end as u32,
        }
    }
}

/// Sets the outcomes of the systems from this rank on.
fn note_stretch(by_rank: &[RunNode], first: u32, outcomes: &Outcomes, is_due: bool) {
    let outcome = match is_due {
        true => Outcome::Finished(1),
        false => Outcome::GuardFalse,
    };
    for (rank, node) in (first..).zip(&by_rank[first as usize..]) {
        if node.is_system() {
            outcomes.set(rank, outcome);
        }
    }
}

/// Runs the nodes of a stretch that is due, up to the end of this slice, as long as they are direct.
#[inline]
fn run_stretch(
    by_rank: &mut [RunNode],
    place: &mut Cursor,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    let mut left = by_rank.get_mut(place.next as usize..);
    while let Some([node, behind @ ..]) = left {
        if let Work::System(system) = &mut node.work {
            if !node.is_direct {
                break;
            }
            if run_context.how.is_cold
                && let Some(next) = behind.first()
            {
                next.prefetch();
            }
            place.next += 1;
            // SAFETY: the node is prepared, since only exclusive nodes change the set of resources, and `after_exclusive`
            // refreshes all nodes after them. By the invariant no other system runs, and this thread called `run`.
            unsafe { system.run(run_context.from) }.map_err(Cause::Error)?;
        } else {
            // A checkpoint.
            place.next += 1;
        }
        left = Some(behind);
    }
    Ok(())
}
