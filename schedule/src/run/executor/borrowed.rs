//! The borrows of a parallel run, and the rules by which threads access them.
//!
//! A thread *holds* a node from the time when [`Ready`](super::ready::Ready) or a lane hands it out to this thread,
//! until this thread completes it. Every node is handed out to one thread at a time.
//!
//! Invariant, between [`Borrowed::lend`] and the end of the run:
//!
//! 1. A thread accesses a node only while it holds the node, and only if the node is due. Whether a node is due is
//!    decided without access to the node.
//! 2. A thread that holds the begin or the end of a loop may access both. A thread that holds the end may access all
//!    nodes in the loop, since all of them are completed.
//! 3. A thread that runs a system of a lane may read the next node of the lane, since no other thread takes that node.
//! 4. Only the holder of an exclusive node that is due accesses all nodes. No other thread holds a node that is due, except nodes that do
//!    nothing. The holder is the thread that called `run`. A helper may hold an inserted sync point too, but applies no commands.
//! 5. A thread that completes the last member of a group of folds accesses the systems of the group. They are completed, and no
//!    thread runs them again before this member is completed. A thread that joins another group with the same system waits for the
//!    lock of both.
//! 6. A thread that holds no node accesses none of this data. So helpers may arrive or leave at any time.
#![expect(
    unsafe_code,
    reason = "lends what a run borrows to the threads that take part in it"
)]

use core::cell::UnsafeCell;
use core::ptr::NonNull;

use super::step::{RunContext, RunOptions, after_exclusive};
use super::sweep::{HeldNodes, Helping, run_sweep};
use crate::data::param::FetchFrom;
use crate::data::record::RecordedRun;
use crate::data::resource::Resources;
use crate::declare::failure::Cause;
use crate::run::node::{Batch, RunNode};
use crate::run::nodes::{Nodes, take_recorded};
use crate::run::outcome::Outcomes;
use crate::verify::plan::Plan;

/// The addresses that the current run borrows. `None` before the first run.
pub(super) struct Borrowed(UnsafeCell<Option<BorrowToken>>);

/// A copy of the addresses that a run borrows. It is valid until the thread that got it has completed its node.
#[derive(Clone, Copy)]
pub(super) struct BorrowToken {
    nodes: NonNull<Nodes>,
    /// The node of rank 0. The nodes of the other ranks follow in memory.
    first: NonNull<RunNode>,
    plan: NonNull<Plan>,
    from: FetchFrom<'static>,
    /// Without the recorded run.
    how: RunOptions<'static>,
    recorded: Option<NonNull<RecordedRun>>,
}

// SAFETY: these are addresses, and only functions that are unsafe to call dereference them. Nodes and resources are
// `Send`, and by the invariant of this module one thread at a time accesses each. The plan is `Sync`, and only read.
unsafe impl Send for Borrowed {}

// SAFETY: as for `Send`. Only `lend` writes the cell, and only before a node of the run is handed out. Only threads
// that hold a node read the cell.
unsafe impl Sync for Borrowed {}

impl Borrowed {
    pub(super) fn nothing() -> Self {
        Self(UnsafeCell::new(None))
    }

    /// Begins a run.
    ///
    /// # Safety
    ///
    /// - The previous run is over, and no thread holds a node of it.
    /// - This run is over before any of these borrows ends.
    /// - The nodes were prepared for these resources, on this thread.
    pub(super) unsafe fn lend(
        &self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        how: RunOptions<'_>,
    ) {
        let borrow_token = BorrowToken {
            first: NonNull::new(nodes.by_rank.as_mut_ptr()).expect("a vector has an address"),
            nodes: NonNull::from(nodes),
            plan: NonNull::from(plan),
            from: FetchFrom::new(resources).for_the_run(),
            how: RunOptions {
                first: how.first,
                is_cold: how.is_cold,
                is_watched: how.is_watched,
                is_timed: how.is_timed,
                recorded: None,
            },
            recorded: how.recorded.map(NonNull::from),
        };
        // Every run writes it, even if the addresses are the same: their provenance must be that of the new borrows.
        // SAFETY: only threads that hold a node read the cell. The previous run is over, so no thread holds a node.
        unsafe { *self.0.get() = Some(borrow_token) };
    }

    /// Returns the addresses that the current run borrows.
    ///
    /// # Safety
    ///
    /// This thread holds a node.
    pub(super) unsafe fn borrow_token(&self) -> BorrowToken {
        // SAFETY: this thread holds a node. `lend` wrote the cell before the first node was handed out, and handing out
        // synchronises with that. `lend` does not write it again while a thread holds a node.
        let borrow_token = unsafe { *self.0.get() };
        borrow_token.expect("`lend` precedes the first node")
    }
}

impl BorrowToken {
    /// Returns the part of the run state that all threads share.
    ///
    /// # Safety
    ///
    /// The run does not end while the result is in use.
    pub(super) unsafe fn run_context(self, outcomes: &Outcomes) -> RunContext<'_> {
        RunContext {
            // SAFETY: `lend` borrowed the plan as shared until the end of the run, and the run has not ended.
            plan: unsafe { self.plan.as_ref() },
            outcomes,
            from: self.from,
            how: RunOptions {
                // SAFETY: `lend` borrowed it as shared until the end of the run, as the plan.
                recorded: self.recorded.map(|run| unsafe { run.as_ref() }),
                ..self.how
            },
            is_alone: false,
        }
    }

    /// Runs a node.
    ///
    /// # Safety
    ///
    /// This thread holds the node of this rank, and the node is due.
    #[inline]
    pub(super) unsafe fn step(self, run_context: RunContext<'_>, rank: u32) -> Result<(), Cause> {
        // SAFETY: this thread holds the node, so no other thread accesses it.
        let node = unsafe { self.node(rank) };
        // SAFETY: nodes that conflict with this one are ordered against it. So each of them is completed or not handed
        // out yet, and none of them runs. A bound node is handed out to the caller only.
        unsafe { run_context.step(node, rank) }?;
        if node.is_exclusive {
            // SAFETY: this thread holds the node, and the node is exclusive.
            unsafe { self.after_exclusive(rank, run_context) };
        }
        Ok(())
    }

    /// Passes an inserted sync point without commands to apply. Returns `false`, without an effect, if there are some.
    ///
    /// # Safety
    ///
    /// This thread holds the node of this rank, which is an inserted sync point, and the node is due.
    pub(super) unsafe fn pass_sync_point(self, run_context: RunContext<'_>, rank: u32) -> bool {
        let mut nodes = self.nodes;
        // SAFETY: this thread holds an exclusive node that is due, so no other thread accesses nodes.
        let nodes = unsafe { nodes.as_mut() };
        if nodes.is_sync_point_needed(rank) {
            return false;
        }
        run_context.pass_sync_point(&mut nodes.by_rank[rank as usize], rank);
        true
    }

    /// Runs the sweep that begins with the node of this rank, and completes its members that fold.
    ///
    /// # Safety
    ///
    /// This thread holds the node, which represents the sweep.
    pub(super) unsafe fn run_sweep(
        self,
        run_context: RunContext<'_>,
        rank: u32,
        helping: Option<&Helping<'_>>,
    ) {
        let sweep = run_context.plan.sweeps.of(rank);
        let sweep = sweep.expect("the node is a per-entity system");
        // SAFETY: this thread holds the node that represents all members, whose predecessors are completed. The plan has put only
        // systems in a sweep that fulfil the other conditions.
        unsafe { run_sweep(run_context, HeldNodes::new(self.first), sweep, helping) };
        for &rank in &sweep.members {
            if run_context.plan.folds.has_member(rank) {
                // SAFETY: as above. The member has run, or is not due.
                unsafe { self.complete_fold(run_context, rank) };
            }
        }
    }

    /// Prefetches the memory of the node that this thread will run next.
    ///
    /// # Safety
    ///
    /// This thread has the lane of the node of this rank, and holds the node before it, which runs a system.
    #[inline]
    pub(super) unsafe fn prefetch(self, rank: u32) {
        // SAFETY: this thread has the lane, so no other thread takes the node. An exclusive node, whose holder accesses
        // all nodes, waits for the node that this thread holds.
        let node = unsafe { self.node(rank) };
        node.prefetch();
    }

    /// Evaluates the condition of a loop. Returns whether its body runs next. `is_repeat`: it has run before.
    ///
    /// # Safety
    ///
    /// This thread holds the begin or the end of the loop that begins at this rank, and the loop is due.
    pub(super) unsafe fn evaluate(
        self,
        run_context: RunContext<'_>,
        begin: u32,
        is_repeat: bool,
    ) -> Result<bool, Cause> {
        // SAFETY: this thread holds the begin or the end of the loop, so no other thread accesses the begin.
        let node = unsafe { self.node(begin) };
        if !is_repeat {
            node.begin_loop();
        }
        // SAFETY: as in `step`. The nodes in the loop do not run: they wait for the begin, or all of them are
        // completed.
        let is_true = unsafe { run_context.evaluate(node, begin) }?;
        if node.is_exclusive {
            // SAFETY: this thread holds the loop, and its begin is exclusive.
            unsafe { self.after_exclusive(begin, run_context) };
        }
        Ok(is_true)
    }

    /// Moves the commands that the body of a loop recorded in this iteration to the loop, after those of earlier
    /// iterations.
    ///
    /// # Safety
    ///
    /// This thread holds the end of the loop that begins at this rank, and `recorders` are nodes of its body.
    pub(super) unsafe fn collect_loop_records(
        self,
        run_context: RunContext<'_>,
        begin: u32,
        recorders: &[u32],
    ) {
        let mut collected: Vec<Batch> = Vec::new();
        for &rank in recorders {
            // SAFETY: the nodes of the body are completed, and will not be handed out before the loop has begun again.
            let inner = unsafe { self.node(rank) };
            take_recorded(inner, rank, run_context.outcomes, &mut collected);
        }
        // SAFETY: this thread holds the end of the loop, so no other thread accesses the begin.
        let node = unsafe { self.node(begin) };
        node.keep_recorded(collected);
    }

    /// Records the failure of a node, and marks the nodes that are skipped because of it.
    ///
    /// # Safety
    ///
    /// This thread holds the node of this rank. For a loop, it holds the begin or the end.
    #[cold]
    pub(super) unsafe fn fail(self, run_context: RunContext<'_>, rank: u32, cause: Cause) {
        // SAFETY: this thread holds the node, so no other thread accesses it.
        let node = unsafe { self.node(rank) };
        run_context.fail(node, rank, cause);
        if node.is_exclusive {
            // SAFETY: this thread holds the node, and the node is exclusive.
            unsafe { self.after_exclusive(rank, run_context) };
        }
    }

    /// Completes a node that folds, or the end of a loop that does. Joins the partial results of a group if it is the last member.
    ///
    /// # Safety
    ///
    /// This thread holds the node of this rank, which has run or is not due.
    #[cold]
    pub(super) unsafe fn complete_fold(self, run_context: RunContext<'_>, rank: u32) {
        let access = |rank, join: &mut dyn FnMut(&mut RunNode)| {
            // SAFETY: `complete_fold` accesses only systems of a group whose last member this thread holds, with the lock of the group.
            join(unsafe { self.node(rank) });
        };
        // SAFETY: this thread holds the node, so its predecessors are completed and no successor was handed out.
        unsafe { run_context.complete_fold(rank, access) };
    }

    /// Applies commands if this node is a sync point, and refreshes the resource addresses of all nodes.
    ///
    /// # Safety
    ///
    /// The node of this rank is exclusive, and this thread holds it.
    unsafe fn after_exclusive(mut self, rank: u32, run_context: RunContext<'_>) {
        // SAFETY: every other node, except checkpoints, is ordered against this one. So it is completed or waits. The
        // holders of checkpoints access nothing of this run.
        let nodes = unsafe { self.nodes.as_mut() };
        // SAFETY: no system runs, for the same reason. This thread called `run`: exclusive systems are bound, and a helper hands an
        // inserted sync point over if there are commands.
        unsafe { after_exclusive(nodes, rank, run_context.plan, self.from, run_context.how) };
    }

    /// Returns the node of this rank.
    ///
    /// # Safety
    ///
    /// The invariant of this module lets this thread access the node, until it completes the node that it holds.
    unsafe fn node<'a>(self, rank: u32) -> &'a mut RunNode {
        // SAFETY: ranks are less than the number of nodes, and the nodes are in one allocation.
        let mut node = unsafe { self.first.add(rank as usize) };
        // SAFETY: by the requirement above, no other thread accesses the node until this thread completes the node that
        // it holds.
        unsafe { node.as_mut() }
    }
}
