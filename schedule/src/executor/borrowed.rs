//! What a parallel run borrows, and who may touch it.
//!
//! Invariant: between [`Borrowed::lend`] and the end of the run, a node is touched only by the thread to which
//! [`Ready`](super::ready::Ready) has handed it out, until that has completed it. Such a thread also marks nodes that
//! come after it, which nobody has got yet; what is marked is atomic, since several may do so. What concerns all nodes,
//! an exclusive node does, which is handed out to the caller while nobody holds another. Threads that hold no node
//! touch nothing here, so it does not matter when they come and go.
#![expect(
    unsafe_code,
    reason = "lends what a run borrows to the threads that take part in it"
)]

use core::cell::UnsafeCell;
use core::ptr::NonNull;

use super::step::{after_exclusive, skip_dependents, step};
use crate::failure::{Cause, FailurePolicy};
use crate::node::{AtomicOutcome, Node, Outcome};
use crate::nodes::Nodes;
use crate::param::FetchFrom;
use crate::plan::Plan;
use crate::resource::Resources;

/// What a run borrows, by address; nothing before the first.
pub(super) struct Borrowed(UnsafeCell<Option<Loan>>);

/// What a run borrows.
#[derive(Clone, Copy)]
pub(super) struct Loan {
    nodes: NonNull<Nodes>,
    /// The node of rank 0; the others follow.
    first: NonNull<Node>,
    plan: NonNull<Plan>,
    from: FetchFrom<'static>,
}

// SAFETY: these are addresses; who follows them says that it may. Nodes and resources can be sent, and are touched by
// one thread at a time; a plan is shared.
unsafe impl Send for Borrowed {}

// SAFETY: as above; the addresses are written by `lend` only, while nobody reads them.
unsafe impl Sync for Borrowed {}

impl Borrowed {
    pub(super) fn nothing() -> Self {
        Self(UnsafeCell::new(None))
    }

    /// Begins a run.
    ///
    /// # Safety
    ///
    /// The run before it is over, and this one is before any of these borrows ends. The nodes are prepared for these
    /// resources, on this thread.
    pub(super) unsafe fn lend(&self, nodes: &mut Nodes, plan: &Plan, resources: &mut Resources) {
        let loan = Loan {
            first: NonNull::new(nodes.by_rank.as_mut_ptr()).expect("a vector has an address"),
            nodes: NonNull::from(nodes),
            plan: NonNull::from(plan),
            from: FetchFrom::new(resources).for_the_run(),
        };
        // Written for every run: an address that is the same as before may only be used if it comes from this borrow.
        // SAFETY: only those who hold a node read it, and there is none between two runs.
        unsafe { *self.0.get() = Some(loan) };
    }

    /// What was lent. Good until this thread has completed its node.
    ///
    /// # Safety
    ///
    /// A node is handed out to this thread.
    pub(super) unsafe fn loan(&self) -> Loan {
        // SAFETY: whoever got a node sees what was lent before the first was handed out.
        let loan = unsafe { *self.0.get() };
        loan.expect("lent before a node was handed out")
    }
}

impl Loan {
    /// Runs a node, unless it is to be skipped.
    ///
    /// # Safety
    ///
    /// The node of this rank is handed out to this thread.
    #[inline]
    pub(super) unsafe fn run(self, rank: u32, is_stopped: bool) -> Result<(), Cause> {
        // SAFETY: said by the caller.
        let node = unsafe { self.node(rank) };
        if is_stopped {
            node.outcome.set(Outcome::Skipped);
        }
        if node.outcome.get() == Outcome::Skipped {
            return Ok(());
        }
        // SAFETY: what conflicts with the node is ordered against it, and so either completed or not handed out yet.
        unsafe { step(node, self.from) }?;
        if node.is_exclusive {
            // SAFETY: said by the caller.
            unsafe { self.after_exclusive(rank) };
        }
        Ok(())
    }

    /// Notes that a node has failed, and marks what is skipped for that.
    ///
    /// # Safety
    ///
    /// The node of this rank is handed out to this thread.
    #[cold]
    pub(super) unsafe fn fail(self, rank: u32, cause: Cause) -> FailurePolicy {
        // SAFETY: said by the caller.
        let node = unsafe { self.node(rank) };
        node.fail(cause);
        let (on_failure, is_exclusive) = (node.on_failure, node.is_exclusive);
        if on_failure == FailurePolicy::SkipDependents {
            // SAFETY: the plan outlives the run, and nobody writes to it.
            let plan = unsafe { self.plan.as_ref() };
            let outcome_of = |rank: usize| {
                // SAFETY: it comes after a node that is not completed, and so is not handed out.
                unsafe { self.outcome(rank as u32) }
            };
            skip_dependents(plan.dependents().links(), rank as usize, outcome_of);
        }
        if is_exclusive {
            // SAFETY: said by the caller.
            unsafe { self.after_exclusive(rank) };
        }
        on_failure
    }

    /// # Safety
    ///
    /// The node of this rank is exclusive, and handed out to this thread.
    unsafe fn after_exclusive(mut self, rank: u32) {
        // SAFETY: every other node is completed or waits for this one, so nobody else holds one.
        let nodes = unsafe { self.nodes.as_mut() };
        // SAFETY: no system runs; and exclusive nodes are handed out to the thread that called `run`.
        unsafe { after_exclusive(nodes, rank as usize, self.from) };
    }

    /// # Safety
    ///
    /// The node of this rank is handed out to this thread.
    unsafe fn node<'a>(self, rank: u32) -> &'a mut Node {
        // SAFETY: there is a node of this rank.
        let mut node = unsafe { self.first.add(rank as usize) };
        // SAFETY: nobody else touches it until this thread completes it.
        unsafe { node.as_mut() }
    }

    /// # Safety
    ///
    /// The node of this rank is handed out to nobody.
    unsafe fn outcome<'a>(self, rank: u32) -> &'a AtomicOutcome {
        // SAFETY: there is a node of this rank.
        let node = unsafe { self.first.add(rank as usize) };
        // SAFETY: the node is there, and nobody holds a reference to all of it.
        unsafe { &(*node.as_ptr()).outcome }
    }
}
