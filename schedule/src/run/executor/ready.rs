//! Decides which nodes may start: the number of pending predecessors of each node, and the sets of ready nodes.
//!
//! This is the state that the threads of a run share. It knows neither systems nor threads, so that a model checker can
//! try all interleavings. `README.md` in this folder argues that it is correct.
//!
//! Invariant: between [`Ready::begin`] and the time when [`Ready::is_over`] becomes true, every node outside of loops is handed out
//! exactly once, by `begin`, [`Ready::take`] or [`Ready::complete`], and a node of a loop once in each iteration. It is handed out only
//! after all of its predecessors were completed. The thread that gets it sees everything that was written before those calls. One exception: a helper
//! may hand over a node that it has not completed. The caller then gets it by `take` or `complete`.

use crossbeam_utils::CachePadded;

use super::bits::{PaddedBits, SharedBits, WordBits};
use super::role::Role;
use crate::base::sync::{AtomicBool, AtomicU32, Ordering, model_fence, needed};
use schedule_graph::Edge;

/// The state described in the module documentation.
#[derive(Debug)]
pub(super) struct Ready {
    /// The number of completed nodes, not counting the begins and bodies of loops, at which a run is over.
    n_counted: u32,
    /// The nodes without predecessors, ascending.
    roots: Vec<Successor>,
    n_predecessors: Vec<u32>,
    starts: Vec<u32>,
    successors: Vec<Successor>,
    /// `pending[v]`: the number of predecessors of v that are not completed. It stays 1 for a node with one
    /// predecessor.
    pending: Box<[CachePadded<AtomicU32>]>,
    /// Ready nodes that any thread may take.
    open: SharedBits,
    /// Ready nodes that only the caller may take.
    bound: SharedBits,
    /// Nodes that threads have planned to run next. Other threads take from this set last.
    planned: PaddedBits,
    /// The number of counted nodes that helpers have completed in all runs, wrapping. Helpers no longer access these
    /// nodes.
    n_done_by_helpers: CachePadded<AtomicU32>,
    helpers: CachePadded<Helpers>,
    /// The number of helpers that found nothing and are still searching.
    n_idle: CachePadded<AtomicU32>,
}

/// The presence of threads. Written rarely, read after every [`Bits::put`](super::bits::Bits::put).
#[derive(Debug)]
struct Helpers {
    /// The number of helpers that were requested and have not left.
    n_helpers: AtomicU32,
    /// Whether the caller is parked, or about to park.
    is_caller_asleep: AtomicBool,
}

/// Nodes that a thread plans to run next. Other threads may have taken some of them.
#[derive(Debug)]
pub(super) struct PlannedNodes(WordBits);

impl PlannedNodes {
    pub(super) const EMPTY: Self = Self(WordBits::NOTHING);
}

/// A node, with the data that is needed to hand it out, in one word.
///
/// Bit 0: bound. Bit 1: has one predecessor. Bits 2..32: the node.
#[derive(Clone, Copy, Debug)]
struct Successor(u32);

impl Successor {
    const MAX_NODES: usize = 1 << 30;

    fn new(node: u32, n_predecessors: u32, is_bound: bool) -> Self {
        Self(node << 2 | u32::from(n_predecessors == 1) << 1 | u32::from(is_bound))
    }

    fn node(self) -> u32 {
        self.0 >> 2
    }

    fn is_bound(self) -> bool {
        self.0 & 1 != 0
    }

    fn has_one_predecessor(self) -> bool {
        self.0 & 2 != 0
    }
}

/// The first nodes of the set at the last look of a helper.
#[derive(Debug)]
pub(super) struct LastLook(WordBits);

impl LastLook {
    pub(super) const NOTHING: Self = Self(WordBits::NOTHING);
}

/// The progress of a run, as known to the caller.
#[derive(Debug)]
pub(super) struct CallerProgress {
    /// The number of nodes that helpers had completed when the run began.
    begin: u32,
    /// The number of counted nodes that the caller has completed.
    pub(super) n_own: u32,
}

/// The result of handing out nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandedOut {
    /// A node that is handed out to this thread.
    pub(super) next: Option<u32>,
    /// Whether nodes were put where any thread finds them, so that a helper may be needed.
    pub(super) has_open: bool,
    /// Whether nodes were put where any thread or the caller finds them, so that the caller may have to be woken.
    pub(super) has_put: bool,
}

impl HandedOut {
    const NOTHING: Self = Self {
        next: None,
        has_open: false,
        has_put: false,
    };
}

impl Ready {
    /// Creates the state. `edges` are sorted, and lead from the more urgent to the less urgent node. `is_bound[v]`:
    /// only the caller may get node v; len = n_nodes. `may_hand_over`: whether helpers may [hand over](Self::hand_over) nodes.
    /// `n_counted`: the number of completed nodes at which a run is over. Begins and bodies of loops do not count, since the
    /// number of iterations is unknown.
    ///
    /// # Panics
    ///
    /// If there are 2^30 nodes or more.
    pub(super) fn new(
        edges: &[Edge],
        is_bound: &[bool],
        may_hand_over: bool,
        n_counted: u32,
    ) -> Self {
        let n_nodes = is_bound.len();
        assert!(
            n_nodes < Successor::MAX_NODES,
            "there are 2^30 nodes or more"
        );
        let mut n_predecessors = vec![0; n_nodes];
        let mut starts = vec![0; n_nodes + 1];
        for edge in edges {
            n_predecessors[edge.to as usize] += 1;
            starts[edge.from as usize + 1] += 1;
        }
        for node in 0..n_nodes {
            starts[node + 1] += starts[node];
        }
        let target = |node: u32| {
            let idx = node as usize;
            Successor::new(node, n_predecessors[idx], is_bound[idx])
        };
        let roots = (0..n_nodes as u32)
            .filter(|&node| n_predecessors[node as usize] == 0)
            .map(target)
            .collect();
        let successors = edges.iter().map(|edge| target(edge.to)).collect();
        let has_bound = may_hand_over || is_bound.contains(&true);
        Self {
            n_counted,
            roots,
            starts,
            successors,
            pending: n_predecessors
                .iter()
                .map(|&n| CachePadded::new(AtomicU32::new(n)))
                .collect(),
            n_predecessors,
            open: SharedBits::new(n_nodes),
            bound: SharedBits::new(if has_bound { n_nodes } else { 0 }),
            planned: PaddedBits::new(n_nodes),
            n_done_by_helpers: CachePadded::new(AtomicU32::new(0)),
            helpers: CachePadded::new(Helpers {
                n_helpers: AtomicU32::new(0),
                is_caller_asleep: AtomicBool::new(false),
            }),
            n_idle: CachePadded::new(AtomicU32::new(0)),
        }
    }

    /// Starts a run. The caller calls this after the previous run is over.
    pub(super) fn begin(&self) -> (CallerProgress, HandedOut) {
        // Relaxed: the end of the last run synchronised with all helpers that counted nodes.
        let begin = self.n_done_by_helpers.load(Ordering::Relaxed);
        let count = CallerProgress { begin, n_own: 0 };
        (
            count,
            self.hand_out(Role::Caller, self.roots.iter().copied()),
        )
    }

    /// Takes a node. The first available of these nodes: a bound node (caller only), a node planned by this thread, the
    /// most urgent open node, a node planned by another thread.
    ///
    /// If many nodes are ready, it takes several, and plans them for later calls.
    pub(super) fn take(&self, role: Role, planned: &mut PlannedNodes) -> HandedOut {
        let mut taken = HandedOut::NOTHING;
        if role == Role::Caller {
            taken.next = self.bound.take(u32::MAX).pop();
        }
        if taken.next.is_none() {
            taken.next = self.planned.take_of(&mut planned.0);
        }
        if taken.next.is_none() {
            // Guided self-scheduling (Polychronopoulos, Kuck 1987) with half shares, which become smaller towards the
            // end. Relaxed: only an estimate.
            let n_threads = 1 + self.helpers.n_helpers.load(Ordering::Relaxed);
            // The graphs of the model checker are so small that half a share is at most one node.
            let n_shares = if cfg!(loom) { 1 } else { 2 * n_threads };
            let mut few = self.open.take(n_shares);
            taken.next = few.pop();
            if few.bits != 0 {
                planned.0 = few;
                self.planned.put(few);
                taken.has_open = true;
                taken.has_put = true;
            }
        }
        if taken.next.is_none() {
            taken.next = self.planned.take(u32::MAX).pop();
        }
        taken
    }

    /// Whether the first word with a node is the same as at the last call, in the open set or else in the planned set.
    ///
    /// A new helper takes only nodes that stay. If the set changes faster, help costs more than it saves.
    pub(super) fn is_unchanged(&self, seen: &mut LastLook) -> bool {
        let mut first = self.open.peek();
        if first == WordBits::NOTHING {
            first = self.planned.peek();
        }
        let is_left = first != WordBits::NOTHING && first == seen.0;
        seen.0 = first;
        is_left
    }

    /// Completes a node: counts it for all of its successors. O(successors).
    pub(super) fn complete(&self, role: Role, node: u32) -> HandedOut {
        let links = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        let targets = self.successors[links].iter().copied();
        self.hand_out(role, targets.filter(|&target| self.is_last(target)))
    }

    /// Gives a node that a helper holds, and has not completed, to the caller.
    pub(super) fn hand_over(&self, node: u32) -> HandedOut {
        self.bound.put(WordBits::one(node));
        HandedOut {
            has_put: true,
            ..HandedOut::NOTHING
        }
    }

    /// Counts one predecessor of a node as completed. Returns whether it was the last one.
    fn is_last(&self, target: Successor) -> bool {
        if target.has_one_predecessor() {
            return true;
        }
        let pending = &self.pending[target.node() as usize];
        // Release: publishes the writes of a predecessor. Acquire: the last predecessor sees the writes of all. They
        // reach the thread that runs the node by `put` and `take`, or because it is the same thread.
        let is_last = pending.fetch_sub(1, needed("count", Ordering::AcqRel)) == 1;
        if is_last {
            // Resets the counter for the next run. Relaxed: no other thread accesses it before that.
            let n = self.n_predecessors[target.node() as usize];
            pending.store(n, Ordering::Relaxed);
        }
        is_last
    }

    /// Keeps the first target for this thread, and puts the others into the sets. The caller keeps a bound node
    /// instead, if there is one.
    fn hand_out(&self, role: Role, targets: impl Iterator<Item = Successor>) -> HandedOut {
        let mut found = HandedOut::NOTHING;
        // Nodes in the same word are put by one access.
        let mut few = WordBits::NOTHING;
        let mut put = |node: u32| {
            if few.bits != 0 && few.word != node / 64 {
                self.open.put(few);
                few = WordBits::NOTHING;
            }
            few.word = node / 64;
            few.bits |= 1 << (node % 64);
        };
        for target in targets {
            let node = target.node();
            if target.is_bound() {
                self.bound.put(WordBits::one(node));
                found.has_put = true;
            } else if found.next.is_none() {
                found.next = Some(node);
            } else {
                put(node);
                found.has_open = true;
            }
        }
        if role == Role::Caller
            && let Some(bound) = self.bound.take(u32::MAX).pop()
            && let Some(open) = found.next.replace(bound)
        {
            put(open);
            found.has_open = true;
        }
        if found.has_open {
            self.open.put(few);
            found.has_put = true;
        }
        found
    }

    /// Whether the state is the same as before the first run: the sets are empty, and every counter is reset. O(nodes).
    ///
    /// The caller calls this when a run is over.
    pub(super) fn is_reset(&self) -> bool {
        // Relaxed: the run is over, so the caller has seen all writes.
        let mut pending = self
            .pending
            .iter()
            .zip(&self.n_predecessors)
            .map(|(left, all)| left.load(Ordering::Relaxed) == *all);
        pending.all(|is_set_up| is_set_up) && !self.has_open() && self.bound.is_empty()
    }

    /// Counts nodes that a helper has completed, when it has no node left. It accesses none of these nodes afterwards.
    pub(super) fn count_done(&self, n: u32) {
        if n > 0 {
            // Release: pairs with the Acquire in `is_over`. SeqCst: required by `may_sleep`.
            let ordering = needed("done", Ordering::SeqCst);
            self.n_done_by_helpers.fetch_add(n, ordering);
        }
    }

    /// Whether all nodes are completed, so that no helper accesses any.
    pub(super) fn is_over(&self, count: &CallerProgress) -> bool {
        // Acquire: pairs with the Release in `count_done`. SeqCst: required by `may_sleep`.
        let n_done = self
            .n_done_by_helpers
            .load(needed("over", Ordering::SeqCst));
        count.n_own + n_done.wrapping_sub(count.begin) == self.n_counted
    }

    /// Counts one more helper, up to `max`. Returns whether the caller of this function must request it.
    ///
    /// Called after nodes were put. No helper is requested if one is idle, since that one finds the nodes. A leaving
    /// helper looks once more.
    pub(super) fn try_add_helper(&self, max: u32) -> bool {
        model_fence("put, call");
        // SeqCst: either this sees that a helper has left (in `leave`), or that helper sees the put nodes.
        let n_helpers = &self.helpers.n_helpers;
        let n = n_helpers.load(Ordering::SeqCst);
        if n >= max || (n > 0 && self.n_idle.load(Ordering::SeqCst) > 0) {
            return false;
        }
        n_helpers
            .compare_exchange(n, n + 1, Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    }

    /// Notes that a helper found nothing.
    pub(super) fn idle(&self) {
        // Relaxed: at worst an unneeded helper is requested.
        self.n_idle.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that an idle helper has found a node, or is about to leave.
    pub(super) fn busy(&self) {
        // SeqCst: as in `leave`.
        self.n_idle.fetch_sub(1, Ordering::SeqCst);
    }

    /// Notes that a helper leaves. Returns whether there are nodes to take. If so, it must call
    /// [`try_add_helper`](Self::try_add_helper) to become a helper again.
    pub(super) fn leave(&self) -> bool {
        self.helpers.n_helpers.fetch_sub(1, Ordering::SeqCst);
        model_fence("leave, look");
        self.has_open()
    }

    /// Whether there are nodes that any thread may take.
    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty() || !self.planned.is_empty()
    }

    /// Whether the caller, which found no node, may park until it is woken.
    ///
    /// The caller calls [`awake`](Self::awake) afterwards in any case.
    pub(super) fn may_sleep(&self, count: &CallerProgress) -> bool {
        // A swap instead of a store, because the model checker does not order a store after a helper's swap.
        self.helpers.is_caller_asleep.swap(true, Ordering::SeqCst);
        model_fence("sleep, look");
        // SeqCst: either this sees the nodes that a helper put or counted, or the helper sees in `must_wake` that the
        // caller is about to park.
        !self.has_open() && self.bound.is_empty() && !self.is_over(count)
    }

    /// Whether the run can never end: no node is ready, no helper exists, and nodes are pending. That would be a bug.
    ///
    /// For a caller that found no node.
    pub(super) fn is_stuck(&self, count: &CallerProgress) -> bool {
        // SeqCst: if the helper is seen to have left, everything that it did before is seen as well.
        let has_no_helpers = self.helpers.n_helpers.load(Ordering::SeqCst) == 0;
        has_no_helpers && !self.has_open() && self.bound.is_empty() && !self.is_over(count)
    }

    /// Notes that the caller is not parked.
    pub(super) fn awake(&self) {
        // Relaxed: at worst the caller is woken once more.
        self.helpers
            .is_caller_asleep
            .store(false, Ordering::Relaxed);
    }

    /// Whether a helper has to wake the caller. Called after nodes were put or counted.
    pub(super) fn must_wake(&self) -> bool {
        model_fence("put, wake");
        let is_asleep = &self.helpers.is_caller_asleep;
        is_asleep.load(Ordering::SeqCst) && is_asleep.swap(false, Ordering::SeqCst)
    }
}

#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, not(loom)))]
mod tests;
