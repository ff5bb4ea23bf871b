//! One node after the other, on the thread that calls.
//!
//! Invariant: exactly one system runs at a time, by rank, so that all that comes before it is decided; from the end of a
//! loop it goes back to the begin.
#![expect(unsafe_code, reason = "calls systems, whose conditions it keeps")]

use core::panic::AssertUnwindSafe;
use std::panic::catch_unwind;

use super::step::{How, RunContext, after_exclusive};
use crate::failure::{Cause, Panic};
use crate::node::Work;
use crate::nodes::Nodes;
use crate::param::FetchFrom;
use crate::plan::{Plan, PlannedLoop};
use crate::resource::Resources;

/// Where a run is.
#[derive(Clone, Copy)]
struct Cursor {
    /// The node that runs.
    this: u32,
    /// The one behind it; of a loop, the one behind its end, until it is known that the body is to run.
    next: u32,
}

/// Runs nodes by rank: from the first that is not decided, up to the one of rank `end`, or the end of a loop that lies
/// across it. Returns the rank of the first that is not decided then. O(nodes), and those in a loop for each of its
/// passes.
///
/// The nodes are prepared for these resources, on this thread.
pub(crate) fn run(
    nodes: &mut Nodes,
    plan: &Plan,
    resources: &mut Resources,
    how: How,
    end: u32,
) -> u32 {
    let from = FetchFrom::new(resources);
    let outcomes = &*nodes.outcomes.clone();
    let run_context = RunContext {
        plan,
        outcomes,
        from,
        // Nodes before the first are not reached.
        how: How { first: 0, ..how },
    };
    let mut place = Cursor {
        this: how.first,
        next: how.first,
    };
    loop {
        // Catching costs nothing until somebody panics, but hinders inlining: once around all is cheapest.
        let result = catch_unwind(AssertUnwindSafe(|| {
            run_on(nodes, &mut place, end, run_context)
        }));
        let cause = match result {
            Ok(Ok(())) => return place.next,
            Ok(Err(cause)) => cause,
            Err(payload) => Cause::Panic(Panic::new(payload)),
        };
        let node = &mut nodes.by_rank[place.this as usize];
        run_context.fail(node, place.this, cause);
        if node.is_exclusive {
            // SAFETY: no system runs, and this thread called `run`.
            unsafe { after_exclusive(nodes, place.this, from) };
        }
    }
}

/// Runs nodes up to one that fails.
fn run_on(
    nodes: &mut Nodes,
    place: &mut Cursor,
    end: u32,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    loop {
        run_plain(nodes, place, end, run_context)?;
        let Some(node) = nodes.by_rank.get_mut(place.next as usize) else {
            return Ok(());
        };
        let rank = place.next;
        if rank >= end && run_context.plan.around(rank).is_none() {
            // Not in the middle of a loop.
            if !matches!(node.work, Work::LoopEnd(_)) {
                return Ok(());
            }
        }
        (place.this, place.next) = (rank, rank + 1);
        match &mut node.work {
            Work::Nothing => {}
            Work::System(_) | Work::ApplyCommands => {
                if run_context.is_due(rank, node.is_guarded) {
                    // SAFETY: the node was prepared for these resources, no other system runs, and this thread called
                    // `run`.
                    unsafe { run_context.step(node, rank) }?;
                    if node.is_exclusive {
                        // SAFETY: no system runs, and this thread called `run`.
                        unsafe { after_exclusive(nodes, rank, run_context.from) };
                    }
                }
            }
            Work::Loop(repeat) => {
                let end = repeat.end;
                repeat.n_passes = 0;
                place.next = end + 1;
                if run_context.is_due(rank, node.is_guarded) {
                    ask(nodes, place, run_context)?;
                }
            }
            Work::LoopEnd(begin) => {
                let one = PlannedLoop {
                    begin: *begin,
                    end: rank,
                };
                nodes.gather(one);
                if run_context.goes_on(one.begin) {
                    place.this = one.begin;
                    ask(nodes, place, run_context)?;
                }
            }
        }
    }
}

/// Runs nodes as long as they are plain: all that is done in between is to call them.
fn run_plain(
    nodes: &mut Nodes,
    place: &mut Cursor,
    end: u32,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    if run_context.how.is_watched || !run_context.is_calm() {
        return Ok(());
    }
    let end = nodes.by_rank.len().min(end as usize);
    let mut left = nodes.by_rank.get_mut(place.next as usize..end);
    while let Some([node, behind @ ..]) = left {
        let Work::System(system) = &mut node.work else {
            break;
        };
        if !node.is_plain {
            break;
        }
        place.this = place.next;
        place.next += 1;
        if run_context.how.is_cold
            && let Some(next) = behind.first()
        {
            next.prefetch();
        }
        // SAFETY: the node was prepared for these resources, no other system runs, and this thread called `run`.
        unsafe { system.run(run_context.from) }.map_err(Cause::Error)?;
        left = Some(behind);
    }
    Ok(())
}

/// Asks whether the body of the loop that begins here is to run; if so, it comes next.
fn ask(nodes: &mut Nodes, place: &mut Cursor, run_context: RunContext<'_>) -> Result<(), Cause> {
    let begin = &mut nodes.by_rank[place.this as usize];
    // SAFETY: the node was prepared for these resources, no other system runs, and this thread called `run`.
    if unsafe { run_context.ask(begin, place.this) }? {
        place.next = place.this + 1;
    }
    if begin.is_exclusive {
        // SAFETY: no system runs, and this thread called `run`.
        unsafe { after_exclusive(nodes, place.this, run_context.from) };
    }
    Ok(())
}
