//! What a parallel run borrows, and who may touch it.
//!
//! Invariant: between [`Borrowed::lend`] and the end of the run, a node is touched only by the thread to which
//! [`Ready`](super::ready::Ready) or a lane has handed it out, until that has completed it; and only if it is due, which is found
//! without it. Who holds the begin or the end of a loop touches the loop, and who holds the end, the parts: all of them
//! are completed. Who runs a system of a lane may read what stands next in it: nobody else gets that. What concerns all
//! nodes, an exclusive node does, which is handed out to the caller while nobody holds another that is due. Threads that
//! hold no node touch nothing here, so it does not matter when they come and go.
#![expect(
    unsafe_code,
    reason = "lends what a run borrows to the threads that take part in it"
)]

use core::cell::UnsafeCell;
use core::ptr::NonNull;

use super::step::{How, RunContext, after_exclusive};
use crate::failure::Cause;
use crate::node::{Batch, Node};
use crate::nodes::{Nodes, take_recorded};
use crate::outcome::Outcomes;
use crate::param::FetchFrom;
use crate::plan::Plan;
use crate::resource::Resources;

/// What a run borrows, by address; nothing before the first.
pub(super) struct Borrowed(UnsafeCell<Option<BorrowToken>>);

/// What a run borrows.
#[derive(Clone, Copy)]
pub(super) struct BorrowToken {
    nodes: NonNull<Nodes>,
    /// The node of rank 0; the others follow.
    first: NonNull<Node>,
    plan: NonNull<Plan>,
    from: FetchFrom<'static>,
    how: How,
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
    pub(super) unsafe fn lend(
        &self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        how: How,
    ) {
        let borrow_token = BorrowToken {
            first: NonNull::new(nodes.by_rank.as_mut_ptr()).expect("a vector has an address"),
            nodes: NonNull::from(nodes),
            plan: NonNull::from(plan),
            from: FetchFrom::new(resources).for_the_run(),
            how,
        };
        // Written for every run: an address that is the same as before may only be used if it comes from this borrow.
        // SAFETY: only those who hold a node read it, and there is none between two runs.
        unsafe { *self.0.get() = Some(borrow_token) };
    }

    /// What was lent. Good until this thread has completed its node.
    ///
    /// # Safety
    ///
    /// A node is handed out to this thread.
    pub(super) unsafe fn borrow_token(&self) -> BorrowToken {
        // SAFETY: whoever got a node sees what was lent before the first was handed out.
        let borrow_token = unsafe { *self.0.get() };
        borrow_token.expect("lent before a node was handed out")
    }
}

impl BorrowToken {
    /// What all threads of the run see.
    ///
    /// # Safety
    ///
    /// The run has not ended while this is in use.
    pub(super) unsafe fn run_context(self, outcomes: &Outcomes) -> RunContext<'_> {
        RunContext {
            // SAFETY: the plan outlives the run, and nobody writes to it.
            plan: unsafe { self.plan.as_ref() },
            outcomes,
            from: self.from,
            how: self.how,
        }
    }

    /// Runs a node that is due.
    ///
    /// # Safety
    ///
    /// The node of this rank is handed out to this thread.
    #[inline]
    pub(super) unsafe fn step(self, run_context: RunContext<'_>, rank: u32) -> Result<(), Cause> {
        // SAFETY: said by the caller.
        let node = unsafe { self.node(rank) };
        // SAFETY: what conflicts with the node is either completed or not handed out yet.
        unsafe { run_context.step(node, rank) }?;
        if node.is_exclusive {
            // SAFETY: said by the caller.
            unsafe { self.after_exclusive(rank) };
        }
        Ok(())
    }

    /// Asks for the memory of a node that this thread will run next.
    ///
    /// # Safety
    ///
    /// The node of this rank is handed out to this thread as soon as it has completed another, which runs a system.
    #[inline]
    pub(super) unsafe fn prefetch(self, rank: u32) {
        // SAFETY: nobody else gets it, and an exclusive node waits for the system that this thread has not completed.
        let node = unsafe { self.node(rank) };
        node.prefetch();
    }

    /// Asks whether the parts of a loop are to run: `is_repeat`, after they did.
    ///
    /// # Safety
    ///
    /// The loop that begins at this rank is handed out to this thread, and is due.
    pub(super) unsafe fn ask(
        self,
        run_context: RunContext<'_>,
        begin: u32,
        is_repeat: bool,
    ) -> Result<bool, Cause> {
        // SAFETY: said by the caller.
        let node = unsafe { self.node(begin) };
        if !is_repeat {
            node.begin_loop();
        }
        // SAFETY: as in `step`; what is in the loop is completed.
        let is_true = unsafe { run_context.ask(node, begin) }?;
        if node.is_exclusive {
            // SAFETY: said by the caller.
            unsafe { self.after_exclusive(begin) };
        }
        Ok(is_true)
    }

    /// Keeps what the parts of a loop recorded in this pass with the loop, behind what they recorded before.
    ///
    /// # Safety
    ///
    /// The end of the loop that begins at this rank is handed out to this thread, and these are parts of it.
    pub(super) unsafe fn gather(self, run_context: RunContext<'_>, begin: u32, recorders: &[u32]) {
        let mut gathered: Vec<Batch> = Vec::new();
        for &rank in recorders {
            // SAFETY: the parts are completed, and will not be handed out before the loop has begun again.
            let part = unsafe { self.node(rank) };
            take_recorded(part, rank, run_context.outcomes, &mut gathered);
        }
        // SAFETY: said by the caller.
        let node = unsafe { self.node(begin) };
        node.keep_recorded(gathered);
    }

    /// Notes that a node has failed, and marks what is skipped for that.
    ///
    /// # Safety
    ///
    /// The node of this rank is handed out to this thread.
    #[cold]
    pub(super) unsafe fn fail(self, run_context: RunContext<'_>, rank: u32, cause: Cause) {
        // SAFETY: said by the caller.
        let node = unsafe { self.node(rank) };
        run_context.fail(node, rank, cause);
        if node.is_exclusive {
            // SAFETY: said by the caller.
            unsafe { self.after_exclusive(rank) };
        }
    }

    /// # Safety
    ///
    /// The node of this rank is exclusive, and handed out to this thread.
    unsafe fn after_exclusive(mut self, rank: u32) {
        // SAFETY: every other node but checkpoints, whose holders touch nothing here, is completed or waits for this one.
        let nodes = unsafe { self.nodes.as_mut() };
        // SAFETY: no system runs; and exclusive nodes are handed out to the thread that called `run`.
        unsafe { after_exclusive(nodes, rank, self.from) };
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
}
