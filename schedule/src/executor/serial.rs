//! Runs one node after the other, on the thread that calls.
//!
//! Invariant: the thread that called `run` executes one node at a time, by rank. So when it reaches a node, all of its
//! predecessors are completed, and no other system runs. At the end of a loop, the run may return to the begin.
#![expect(unsafe_code, reason = "calls systems, whose conditions it keeps")]

use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;

use super::step::{RunContext, RunOptions, after_exclusive};
use super::sweep::{HeldNodes, run_sweep};
use crate::failure::{Cause, Panic};
use crate::node::Work;
use crate::nodes::Nodes;
use crate::outcome::Outcome;
use crate::param::FetchFrom;
use crate::plan::{Plan, PlannedLoop};
use crate::resource::Resources;
use crate::sweeps::PlannedSweep;

/// The position of a run.
#[derive(Clone, Copy)]
struct Cursor {
    /// The rank of the current node.
    this: u32,
    /// The position of the next node in the order of execution. For the begin or the end of a loop this is the position after
    /// the end, until the body is known to run.
    next: u32,
}

/// Runs nodes by rank: from rank `how.first` up to, but not including, rank `end`. If `end` is inside of a loop, it
/// completes the loop. Returns the rank of the first node that is not completed. O(nodes), with the nodes of a loop
/// counted once per iteration.
///
/// The caller has prepared the nodes for these resources, on this thread.
pub(crate) fn run(
    nodes: &mut Nodes,
    plan: &Plan,
    resources: &mut Resources,
    how: RunOptions,
    end: u32,
) -> u32 {
    let from = FetchFrom::new(resources);
    let outcomes = &*nodes.outcomes.clone();
    let run_context = RunContext {
        plan,
        outcomes,
        from,
        // The run starts at `first`, so no earlier node is reached.
        how: RunOptions { first: 0, ..how },
        is_alone: true,
    };
    let mut place = Cursor {
        this: how.first,
        next: how.first,
    };
    loop {
        // One call around all nodes: it costs nothing unless a system panics, but it prevents inlining.
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
            // SAFETY: by the invariant, the failed node was the only one that ran, so no system runs now. This thread
            // called `run`.
            unsafe { after_exclusive(nodes, place.this, from) };
        }
        complete_fold(nodes, place, run_context);
    }
}

/// Completes the node of the cursor, if it folds or ends a loop that does.
#[inline]
fn complete_fold(nodes: &mut Nodes, place: Cursor, run_context: RunContext<'_>) {
    if !run_context.plan.folds.is_empty() {
        complete_folding(nodes, place, run_context);
    }
}

#[inline(never)]
fn complete_folding(nodes: &mut Nodes, place: Cursor, run_context: RunContext<'_>) {
    let rank = match &nodes.by_rank[place.this as usize].work {
        // The body runs next, so the loop is not completed.
        Work::Loop(repeat) if place.next <= run_context.plan.sweeps.position(repeat.end) => return,
        Work::Loop(repeat) => repeat.end,
        _ => place.this,
    };
    if nodes.by_rank[rank as usize].is_folding {
        let by_rank = &mut nodes.by_rank;
        // SAFETY: by the invariant, all nodes of lower rank are completed, and no node of higher rank has started.
        unsafe { run_context.complete_fold(rank, |rank, join| join(&mut by_rank[rank as usize])) };
    }
}

/// Runs nodes until one fails.
fn run_on(
    nodes: &mut Nodes,
    place: &mut Cursor,
    end: u32,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    loop {
        run_direct(nodes, place, end, run_context)?;
        let (sweeps, position) = (&run_context.plan.sweeps, place.next);
        if position as usize >= nodes.by_rank.len() {
            return Ok(());
        }
        let rank = sweeps.rank_at(position);
        if let Some(sweep) = sweeps.of(rank).filter(|sweep| sweep.has_several()) {
            (place.this, place.next) = (rank, position + sweep.members.len() as u32);
            run_members(nodes, sweep, run_context);
            continue;
        }
        let node = &mut nodes.by_rank[rank as usize];
        if position >= end && run_context.plan.around(rank).is_none() {
            // A run stops before `end`, but not between the begin and the end of a loop.
            if !matches!(node.work, Work::LoopEnd(_)) {
                return Ok(());
            }
        }
        (place.this, place.next) = (rank, position + 1);
        match &mut node.work {
            Work::Nothing => {}
            Work::System(_) | Work::ApplyCommands => {
                if run_context.is_due(rank, node.is_guarded) {
                    // SAFETY: the node is due. The caller of `run` prepared it, and `after_exclusive` refreshes it
                    // whenever resources were inserted or removed. By the invariant no other system runs, and this
                    // thread called `run`.
                    unsafe { run_context.step(node, rank) }?;
                    if node.is_exclusive {
                        // SAFETY: by the invariant the node was the only one that ran, so no system runs now. This
                        // thread called `run`.
                        unsafe { after_exclusive(nodes, rank, run_context.from) };
                    }
                }
            }
            Work::Loop(repeat) => {
                let end = repeat.end;
                repeat.n_iterations = 0;
                place.next = sweeps.position(end) + 1;
                if run_context.is_due(rank, node.is_guarded) {
                    ask(nodes, place, run_context)?;
                }
            }
            Work::LoopEnd(begin) => {
                let one = PlannedLoop {
                    begin: *begin,
                    end: rank,
                };
                nodes.collect_loop_records(one);
                if run_context.may_repeat(one.begin) {
                    place.this = one.begin;
                    ask(nodes, place, run_context)?;
                }
            }
        }
        complete_fold(nodes, *place, run_context);
    }
}

/// Runs the members of a sweep, and completes them.
#[inline(never)]
fn run_members(nodes: &mut Nodes, sweep: &PlannedSweep, run_context: RunContext<'_>) {
    let first = NonNull::new(nodes.by_rank.as_mut_ptr()).expect("a vector has an address");
    // SAFETY: by the invariant no system runs, and all predecessors of the members are completed. The plan has put only systems in a
    // sweep that fulfil the other conditions. The nodes are prepared, as in `run_on`.
    unsafe { run_sweep(run_context, HeldNodes::new(first), sweep, None) };
    for &rank in &sweep.members {
        if nodes.by_rank[rank as usize].is_folding {
            let by_rank = &mut nodes.by_rank;
            // SAFETY: all members are completed, and no node after them has started.
            unsafe {
                run_context.complete_fold(rank, |rank, join| join(&mut by_rank[rank as usize]));
            }
        }
    }
}

/// Runs nodes as long as they are direct, with a direct call of each system.
///
/// While no node is skipped or disabled, only guards decide which of them run.
fn run_direct(
    nodes: &mut Nodes,
    place: &mut Cursor,
    end: u32,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
    let is_by_rank = run_context.plan.sweeps.is_by_rank();
    if run_context.how.is_watched || !run_context.has_no_skips() || !is_by_rank {
        return Ok(());
    }
    let end = nodes.by_rank.len().min(end as usize);
    loop {
        run_plain(nodes, place, end, run_context)?;
        let rank = place.next;
        let Some(node) = nodes.by_rank[..end].get_mut(rank as usize) else {
            return Ok(());
        };
        match &mut node.work {
            // A checkpoint.
            Work::Nothing => place.next += 1,
            Work::System(system) if node.is_direct => {
                (place.this, place.next) = (rank, rank + 1);
                let is_due = match node.only_if {
                    Some(answer) => run_context.outcomes.is_answer(answer),
                    None => !node.is_guarded || run_context.guard_holds(rank),
                };
                if !is_due {
                    run_context.outcomes.set(rank, Outcome::GuardFalse);
                } else {
                    // SAFETY: as in `run_plain`.
                    let answer = unsafe { system.run(run_context.from) }.map_err(Cause::Error)?;
                    run_context.outcomes.set(rank, Outcome::Finished(answer));
                }
            }
            _ => return Ok(()),
        }
    }
}

/// Runs nodes as long as they are plain.
fn run_plain(
    nodes: &mut Nodes,
    place: &mut Cursor,
    end: usize,
    run_context: RunContext<'_>,
) -> Result<(), Cause> {
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
        // SAFETY: the node is prepared, since only exclusive nodes change the set of resources, and `after_exclusive`
        // refreshes all nodes after them. By the invariant no other system runs, and this thread called `run`.
        unsafe { system.run(run_context.from) }.map_err(Cause::Error)?;
        left = Some(behind);
    }
    Ok(())
}

/// Evaluates the condition of the loop that begins at `place.this`. If it is true, the body runs next.
fn ask(nodes: &mut Nodes, place: &mut Cursor, run_context: RunContext<'_>) -> Result<(), Cause> {
    let begin = &mut nodes.by_rank[place.this as usize];
    // SAFETY: the begin is prepared, since only exclusive nodes change the set of resources, and `after_exclusive`
    // refreshes all nodes after them. By the invariant no other system runs, and this thread called `run`.
    if unsafe { run_context.ask(begin, place.this) }? {
        place.next = run_context.plan.sweeps.position(place.this) + 1;
    }
    if begin.is_exclusive {
        // SAFETY: by the invariant the condition was the only system that ran, so no system runs now. This thread
        // called `run`.
        unsafe { after_exclusive(nodes, place.this, run_context.from) };
    }
    Ok(())
}
