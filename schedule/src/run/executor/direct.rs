//! The part of a serial run that calls systems directly.
//!
//! Invariant: that of [`serial`](super::serial), whose `run` is the caller. In addition, the nodes are in the order of execution.
#![expect(
    unsafe_code,
    reason = "calls systems, whose conditions the caller keeps"
)]

use super::step::RunContext;
use crate::data::output::BoxError;
use crate::data::param::FetchFrom;
use crate::declare::failure::Cause;
use crate::run::node::{DirectStep, RunNode, Work};
use crate::run::outcome::Outcome;

/// The position of a run.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    /// The rank of the current node. `None` while nodes run directly: the current node is then the one before `next`.
    pub(super) this: Option<u32>,
    /// The position of the next node in the order of execution. For the begin or the end of a loop this is the position after
    /// the end, until the body is known to run.
    pub(super) next: u32,
}

impl Cursor {
    /// The rank of the current node.
    pub(super) fn this(self) -> u32 {
        self.this.unwrap_or_else(|| self.next - 1)
    }
}

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
        match node.direct {
            DirectStep::None => return Ok(()),
            DirectStep::Checkpoint => place.next += 1,
            DirectStep::Condition => run_condition(node, place, run_context)?,
            DirectStep::GuardedCondition => {
                if is_due(node, rank, run_context) {
                    run_condition(node, place, run_context)?
                } else {
                    outcomes.set(rank, Outcome::GuardFalse);
                    place.next += 1;
                }
            }
            DirectStep::Plain => {
                let end = node.stretch_end as usize;
                let end = by_rank.len().min(end);
                run_stretch(&mut by_rank[..end], place, run_context)?;
            }
            DirectStep::Guarded => {
                let (end, is_due) = (node.stretch_end, is_due(node, rank, run_context));
                let end = by_rank.len().min(end as usize);
                // All systems of the stretch have the outcome of the first one. Those of checkpoints are not read.
                if outcomes.is_guard_false(rank) == is_due {
                    let outcome = if is_due {
                        Outcome::Finished(1)
                    } else {
                        Outcome::GuardFalse
                    };
                    outcomes.set_all(rank as usize..end, outcome);
                }
                if is_due {
                    run_stretch(&mut by_rank[..end], place, run_context)?
                } else {
                    place.next = end as u32
                }
            }
        }
    }
}

/// Whether the guard of a node holds.
#[inline]
fn is_due(node: &RunNode, rank: u32, run_context: RunContext<'_>) -> bool {
    match node.only_if.get() {
        Some(answer) => run_context.outcomes.is_answer(answer),
        None => guard_holds(rank, run_context),
    }
}

#[inline(never)]
fn guard_holds(rank: u32, run_context: RunContext<'_>) -> bool {
    run_context.guard_holds(rank)
}

/// Runs a node with an answer.
#[inline]
fn run_condition(
    node: &mut RunNode,
    place: &mut Cursor,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    let Work::System(system) = &mut node.work else {
        unreachable!("a condition is a system");
    };
    let rank = place.next;
    place.next += 1;
    let mut answer = 1;
    // SAFETY: as in `run_members`: the node is prepared and misses no resource, no other system runs, and this thread called `run`.
    unsafe { system.run(run_context.from, &mut answer) }.map_err(Cause::Error)?;
    run_context.outcomes.set(rank, Outcome::Finished(answer));
    // Only checkpoints are in between.
    place.next = node.stretch_end;
    Ok(())
}

/// Runs the nodes of a stretch that is due, up to the end of this slice, as long as they are direct.
fn run_stretch(
    by_rank: &mut [RunNode],
    place: &mut Cursor,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    let members = &mut by_rank[place.next as usize..];
    let result = if run_context.how.is_cold {
        run_members::<true>(members, &mut place.next, run_context.from)
    } else {
        run_members::<false>(members, &mut place.next, run_context.from)
    };
    result.map_err(Cause::Error)
}

/// Runs these nodes, as long as they are direct. If the caches are cold, it prefetches each next system. `next`: the rank of the next
/// node.
///
/// A separate function for the same reason as `run_direct`.
#[inline(never)]
fn run_members<const IS_COLD: bool>(
    members: &mut [RunNode],
    next: &mut u32,
    from: FetchFrom<'_>,
) -> Result<(), BoxError> {
    // The systems have no answer, so it stays 1.
    let mut answer = 1;
    let first = *next;
    for idx in 0..members.len() {
        if IS_COLD && let Some(following) = members.get(idx + 1) {
            following.prefetch();
        }
        let node = &mut members[idx];
        if node.direct == DirectStep::None {
            break;
        }
        // A failed system is the one before `next`.
        *next = first + idx as u32 + 1;
        if let Work::System(system) = &mut node.work {
            // SAFETY: the node is prepared, since only exclusive nodes change the set of resources, and `after_exclusive`
            // refreshes all nodes after them. A node that misses a resource is not direct. By the invariant no other system runs, and
            // this thread called `run`.
            unsafe { system.run(from, &mut answer) }?;
        }
    }
    Ok(())
}
