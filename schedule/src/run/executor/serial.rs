//! Runs one node after the other, on the thread that calls.
//!
//! Invariant: the thread that called `run` executes one node at a time, by rank. So when it reaches a node, all of its
//! predecessors are completed, and no other system runs. At the end of a loop, the run may return to the begin.
#![expect(unsafe_code, reason = "calls systems, whose conditions it keeps")]

use core::panic::AssertUnwindSafe;
use core::ptr::NonNull;
use std::panic::catch_unwind;

use super::direct::{Cursor, run_direct};
use super::step::{RunContext, RunOptions, after_exclusive};
use super::sweep::{HeldNodes, run_sweep};
use crate::data::param::FetchFrom;
use crate::data::resource::Resources;
use crate::declare::failure::{Cause, Panic};
use crate::run::node::Work;
use crate::run::nodes::Nodes;
use crate::run::outcome::Outcomes;
use crate::verify::plan::{Plan, PlannedLoop};
use crate::verify::sweeps::PlannedSweep;

/// What all nodes of a run share, except for the outcomes. The nodes own these.
#[derive(Clone, Copy)]
struct SerialRun<'a> {
    plan: &'a Plan,
    from: FetchFrom<'a>,
    how: RunOptions<'a>,
}

impl<'a> SerialRun<'a> {
    #[inline]
    fn context(self, outcomes: &'a Outcomes) -> RunContext<'a> {
        let Self { plan, from, how } = self;
        RunContext {
            plan,
            outcomes,
            from,
            how,
            is_alone: true,
        }
    }
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
    how: RunOptions<'_>,
    end: u32,
) -> u32 {
    let from = FetchFrom::new(resources);
    let serial_run = SerialRun {
        plan,
        from,
        // The run starts at `first`, so no earlier node is reached.
        how: RunOptions { first: 0, ..how },
    };
    let mut place = Cursor {
        this: Some(how.first),
        next: how.first,
    };
    loop {
        // One call around all nodes: it costs nothing unless a system panics, but it prevents inlining.
        let result = catch_unwind(AssertUnwindSafe(|| {
            run_on(nodes, &mut place, end, serial_run)
        }));
        let cause = match result {
            Ok(Ok(())) => return place.next,
            Ok(Err(cause)) => cause,
            Err(payload) => Cause::Panic(Panic::new(payload)),
        };
        let this = place.this();
        place.this = Some(this);
        let node = &mut nodes.by_rank[this as usize];
        let run_context = serial_run.context(&nodes.outcomes);
        run_context.fail(node, this, cause);
        if node.is_exclusive {
            // SAFETY: by the invariant, the failed node was the only one that ran, so no system runs now. This thread
            // called `run`.
            unsafe { after_exclusive(nodes, this, plan, from, serial_run.how) };
        }
        complete_fold(nodes, place, serial_run);
    }
}

/// Completes the node of the cursor, if it folds or ends a loop that does.
#[inline]
fn complete_fold(nodes: &mut Nodes, place: Cursor, serial_run: SerialRun<'_>) {
    if !serial_run.plan.folds.is_empty() {
        complete_folding(nodes, place, serial_run);
    }
}

#[inline(never)]
fn complete_folding(nodes: &mut Nodes, place: Cursor, serial_run: SerialRun<'_>) {
    let this = place.this();
    let rank = match &nodes.by_rank[this as usize].work {
        // The body runs next, so the loop is not completed.
        Work::Loop(repeat) if place.next <= serial_run.plan.sweeps.position(repeat.end) => return,
        Work::Loop(repeat) => repeat.end,
        _ => this,
    };
    if nodes.by_rank[rank as usize].is_folding {
        let run_context = serial_run.context(&nodes.outcomes);
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
    serial_run: SerialRun<'_>,
) -> Result<(), Cause> {
    let sweeps = &serial_run.plan.sweeps;
    let n_nodes = nodes.by_rank.len();
    let n_direct = if !serial_run.how.is_watched && sweeps.is_by_rank() {
        n_nodes.min(end as usize)
    } else {
        0
    };
    if nodes.outcomes.has_no_skips() {
        let run_context = serial_run.context(&nodes.outcomes);
        place.this = None;
        run_direct(&mut nodes.by_rank[..n_direct], place, run_context)?;
        if place.next as usize >= n_nodes {
            return Ok(());
        }
    }
    // A run of direct nodes needs no count of references.
    let outcomes = nodes.outcomes.clone();
    let run_context = serial_run.context(&outcomes);
    loop {
        if (place.next as usize) < n_direct && run_context.has_no_skips() {
            place.this = None;
            run_direct(&mut nodes.by_rank[..n_direct], place, run_context)?;
        }
        let position = place.next;
        if position as usize >= n_nodes {
            return Ok(());
        }
        let rank = sweeps.rank_at(position);
        if let Some(sweep) = sweeps.of(rank).filter(|sweep| sweep.has_several()) {
            (place.this, place.next) = (Some(rank), position + sweep.members.len() as u32);
            run_members(nodes, sweep, serial_run);
            continue;
        }
        let node = &mut nodes.by_rank[rank as usize];
        if position >= end && serial_run.plan.enclosing_loop(rank).is_none() {
            // A run stops before `end`, but not between the begin and the end of a loop.
            if !matches!(node.work, Work::LoopEnd(_)) {
                return Ok(());
            }
        }
        (place.this, place.next) = (Some(rank), position + 1);
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
                        unsafe {
                            after_exclusive(
                                nodes,
                                rank,
                                serial_run.plan,
                                serial_run.from,
                                serial_run.how,
                            )
                        };
                    }
                }
            }
            Work::Loop(repeat) => {
                let end = repeat.end;
                repeat.n_iterations = 0;
                place.next = sweeps.position(end) + 1;
                if run_context.is_due(rank, node.is_guarded) {
                    evaluate(nodes, place, rank, serial_run)?;
                }
            }
            Work::LoopEnd(begin) => {
                let one = PlannedLoop {
                    begin: *begin,
                    end: rank,
                };
                nodes.collect_loop_records(one);
                if run_context.may_repeat(one.begin) {
                    place.this = Some(one.begin);
                    evaluate(nodes, place, one.begin, serial_run)?;
                }
            }
        }
        complete_fold(nodes, *place, serial_run);
    }
}

/// Runs the members of a sweep, and completes them.
#[inline(never)]
fn run_members(nodes: &mut Nodes, sweep: &PlannedSweep, serial_run: SerialRun<'_>) {
    let run_context = serial_run.context(&nodes.outcomes);
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

/// Evaluates the condition of the loop that begins at rank `begin`. If it is true, the body runs next.
fn evaluate(
    nodes: &mut Nodes,
    place: &mut Cursor,
    begin: u32,
    serial_run: SerialRun<'_>,
) -> Result<(), Cause> {
    let run_context = serial_run.context(&nodes.outcomes);
    let node = &mut nodes.by_rank[begin as usize];
    // SAFETY: the begin is prepared, since only exclusive nodes change the set of resources, and `after_exclusive`
    // refreshes all nodes after them. By the invariant no other system runs, and this thread called `run`.
    if unsafe { run_context.evaluate(node, begin) }? {
        place.next = serial_run.plan.sweeps.position(begin) + 1;
    }
    if node.is_exclusive {
        // SAFETY: by the invariant the condition was the only system that ran, so no system runs now. This thread
        // called `run`.
        unsafe {
            after_exclusive(
                nodes,
                begin,
                serial_run.plan,
                serial_run.from,
                serial_run.how,
            )
        };
    }
    Ok(())
}
