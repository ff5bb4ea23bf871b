//! Which nodes may start: what each still waits for, and the set of those that wait for nothing.
//!
//! The state that the threads of a run share. It knows neither systems nor threads, so that a model checker can try
//! all of its interleavings; `README.md` beside this file says why it is right.
//!
//! Invariant: between [`Ready::begin`] and the time at which [`Ready::is_over`] is true, every node is handed out
//! exactly once, by `begin`, [`Ready::take`] or [`Ready::complete`]; and only after all of its predecessors were
//! completed, so that who gets it sees everything that was written before those calls.

use crossbeam_utils::CachePadded;

use super::bits::{Dense, Few, Spread};
use super::role::Role;
use crate::sync::{AtomicBool, AtomicU32, Ordering, model_fence, needed};
use schedule_graph::Edge;

/// See the module.
#[derive(Debug)]
pub(super) struct Ready {
    /// How many completed nodes make a run.
    n_counted: u32,
    /// Those without predecessors, ascending.
    roots: Vec<Successor>,
    n_predecessors: Vec<u32>,
    starts: Vec<u32>,
    successors: Vec<Successor>,
    /// `pending[v]`: predecessors of v that are not completed; of a node with one predecessor it stays 1.
    pending: Box<[CachePadded<AtomicU32>]>,
    /// What anybody may take.
    open: Dense,
    /// What the caller may take.
    bound: Dense,
    /// What threads have planned to run next. Others may take it, too, when there is nothing else.
    planned: Spread,
    /// Counted nodes that helpers have completed in all runs, wrapping, and will not touch again.
    n_done_by_helpers: CachePadded<AtomicU32>,
    helpers: CachePadded<Helpers>,
    /// Helpers that found nothing to do, and still look.
    n_idle: CachePadded<AtomicU32>,
}

/// Who is there. Written seldom, read after every [`Bits::put`].
#[derive(Debug)]
struct Helpers {
    /// Helpers that were asked for and have not left.
    n_helpers: AtomicU32,
    /// Whether the caller sleeps, or is about to.
    is_caller_asleep: AtomicBool,
}

/// Nodes that a thread means to run next; others may have taken them meanwhile.
#[derive(Debug)]
pub(super) struct PlannedNodes(Few);

impl PlannedNodes {
    pub(super) const EMPTY: Self = Self(Few::NOTHING);
}

/// A node to be handed out, in one word with what has to be known for that.
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

/// What a helper has seen at its last look.
#[derive(Debug)]
pub(super) struct Seen(Few);

impl Seen {
    pub(super) const NOTHING: Self = Self(Few::NOTHING);
}

/// How far a run is, as the caller knows.
#[derive(Debug)]
pub(super) struct CallerProgress {
    /// What helpers had completed when it began.
    begin: u32,
    /// Counted nodes that the caller has completed.
    pub(super) n_own: u32,
}

/// What there is to do now.
#[derive(Clone, Copy, Debug)]
pub(super) struct HandedOut {
    /// The most urgent node, handed out to this thread.
    pub(super) next: Option<u32>,
    /// Whether others were put where anybody finds them: help may be asked for.
    pub(super) has_open: bool,
    /// Whether others were put where anybody finds them, or the caller: it may have to be woken.
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
    /// `edges` are sorted, and from the more urgent node to the less urgent one. `is_bound[v]`: only the caller may get
    /// node v; len = n_nodes. `n_counted`: how many completed nodes make a run; those in loops do not count, since
    /// nobody knows how often they run.
    ///
    /// # Panics
    ///
    /// If there are 2^30 nodes or more.
    pub(super) fn new(edges: &[Edge], is_bound: &[bool], n_counted: u32) -> Self {
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
        let roots = (0..n_nodes as u32).filter(|&node| n_predecessors[node as usize] == 0);
        let roots = roots.map(target).collect();
        let successors = edges.iter().map(|edge| target(edge.to)).collect();
        let has_bound = is_bound.contains(&true);
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
            open: Dense::new(n_nodes),
            bound: Dense::new(if has_bound { n_nodes } else { 0 }),
            planned: Spread::new(n_nodes),
            n_done_by_helpers: CachePadded::new(AtomicU32::new(0)),
            helpers: CachePadded::new(Helpers {
                n_helpers: AtomicU32::new(0),
                is_caller_asleep: AtomicBool::new(false),
            }),
            n_idle: CachePadded::new(AtomicU32::new(0)),
        }
    }

    /// Starts a run; the one before it is over. For the caller.
    pub(super) fn begin(&self) -> (CallerProgress, HandedOut) {
        // Relaxed: the last run was over, so all of it was seen then.
        let begin = self.n_done_by_helpers.load(Ordering::Relaxed);
        let count = CallerProgress { begin, n_own: 0 };
        (
            count,
            self.hand_out(Role::Caller, self.roots.iter().copied()),
        )
    }

    /// Takes a node: for the caller, one that only it may take; else one that this thread has planned; else the most
    /// urgent one; else one that another thread has planned.
    ///
    /// Where many are ready, several are taken, and planned for later calls.
    pub(super) fn take(&self, role: Role, planned: &mut PlannedNodes) -> HandedOut {
        let mut taken = HandedOut::NOTHING;
        if role == Role::Caller {
            taken.next = self.bound.take(u32::MAX).pop();
        }
        if taken.next.is_none() {
            taken.next = self.planned.take_of(&mut planned.0);
        }
        if taken.next.is_none() {
            // Guided self-scheduling (Polychronopoulos, Kuck 1987), in halves: shares get smaller towards the end.
            // Relaxed: a guess.
            let n_threads = 1 + self.helpers.n_helpers.load(Ordering::Relaxed);
            // The model checker's graphs are so small that half a share is never more than one node.
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

    /// Whether there is something to take that was there at the last call, too.
    ///
    /// A helper that comes waits for that: what changes so fast costs less where it is than on two threads.
    pub(super) fn is_left_lying(&self, seen: &mut Seen) -> bool {
        let mut first = self.open.peek();
        if first == Few::NOTHING {
            first = self.planned.peek();
        }
        let is_left = first != Few::NOTHING && first == seen.0;
        seen.0 = first;
        is_left
    }

    /// Counts a node as completed for those that wait for it. O(successors).
    pub(super) fn complete(&self, role: Role, node: u32) -> HandedOut {
        let links = self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize;
        let targets = self.successors[links].iter().copied();
        self.hand_out(role, targets.filter(|&target| self.is_last(target)))
    }

    /// Counts one predecessor of a node as completed. Returns whether it was the last one.
    fn is_last(&self, target: Successor) -> bool {
        if target.has_one_predecessor() {
            return true;
        }
        let pending = &self.pending[target.node() as usize];
        // Release: what its predecessors have written is seen by the last of them, whose Acquire this is, too. That
        // passes it on to whoever runs the node, by `put` and `take` or because it is the same thread.
        let is_last = pending.fetch_sub(1, needed("count", Ordering::AcqRel)) == 1;
        if is_last {
            // For the next run. Relaxed: nobody else touches it in this one, and the next begins after its end.
            let n = self.n_predecessors[target.node() as usize];
            pending.store(n, Ordering::Relaxed);
        }
        is_last
    }

    /// Keeps the first of these for this thread, and puts the others where they are found. Who may run what is bound
    /// keeps that before all else: the others go to whoever comes.
    fn hand_out(&self, role: Role, targets: impl Iterator<Item = Successor>) -> HandedOut {
        let mut found = HandedOut::NOTHING;
        // One access for those in the same word.
        let mut few = Few::NOTHING;
        let mut put = |node: u32| {
            if few.bits != 0 && few.word != node / 64 {
                self.open.put(few);
                few = Few::NOTHING;
            }
            few.word = node / 64;
            few.bits |= 1 << (node % 64);
        };
        for target in targets {
            let node = target.node();
            if target.is_bound() {
                self.bound.put(Few::one(node));
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

    /// Whether all is as before the first run: nothing to take, and every counter set up. O(nodes).
    ///
    /// For the caller, when a run is over.
    pub(super) fn is_at_rest(&self) -> bool {
        // Relaxed: the run is over, so all of it was seen.
        let pending = self.pending.iter().zip(&self.n_predecessors);
        let mut pending = pending.map(|(left, all)| left.load(Ordering::Relaxed) == *all);
        pending.all(|is_set_up| is_set_up) && !self.has_open() && self.bound.is_empty()
    }

    /// Counts nodes that a helper has completed, when it has nothing left to do. It touches nothing of theirs from now
    /// on.
    pub(super) fn count_done(&self, n: u32) {
        if n > 0 {
            // Release: pairs with the Acquire in `is_over`. SeqCst: as `may_sleep` needs it.
            let ordering = needed("done", Ordering::SeqCst);
            self.n_done_by_helpers.fetch_add(n, ordering);
        }
    }

    /// Whether all nodes are completed: then no helper touches any.
    pub(super) fn is_over(&self, count: &CallerProgress) -> bool {
        // Acquire: pairs with the Release in `count_done`. SeqCst: as `may_sleep` needs it.
        let n_done = self
            .n_done_by_helpers
            .load(needed("over", Ordering::SeqCst));
        count.n_own + n_done.wrapping_sub(count.begin) == self.n_counted
    }

    /// Whether one more helper is to be asked for, of at most `max`; it counts as asked for then.
    ///
    /// Called after something was put. It is not if one idles: that will find it. A helper that leaves looks once more
    /// at what was put.
    pub(super) fn try_ask(&self, max: u32) -> bool {
        model_fence("put, ask");
        // SeqCst: of these looks after a put, and that of `leave` after it has left, one sees what the other has done.
        let n_helpers = &self.helpers.n_helpers;
        let n = n_helpers.load(Ordering::SeqCst);
        if n >= max || (n > 0 && self.n_idle.load(Ordering::SeqCst) > 0) {
            return false;
        }
        n_helpers
            .compare_exchange(n, n + 1, Ordering::SeqCst, Ordering::Relaxed)
            .is_ok()
    }

    /// A helper finds nothing to do.
    pub(super) fn idle(&self) {
        // Relaxed: at worst one is asked for that is not needed.
        self.n_idle.fetch_add(1, Ordering::Relaxed);
    }

    /// It has found something, or is about to leave.
    pub(super) fn busy(&self) {
        // SeqCst: as `leave`.
        self.n_idle.fetch_sub(1, Ordering::SeqCst);
    }

    /// A helper leaves. Returns whether something was put meanwhile: then it has to [`try_ask`](Self::try_ask) to be
    /// one again.
    pub(super) fn leave(&self) -> bool {
        self.helpers.n_helpers.fetch_sub(1, Ordering::SeqCst);
        model_fence("leave, look");
        self.has_open()
    }

    /// Whether there is something for anybody.
    pub(super) fn has_open(&self) -> bool {
        !self.open.is_empty() || !self.planned.is_empty()
    }

    /// Whether the caller, which found nothing to do, may sleep until it is woken.
    ///
    /// It calls [`awake`](Self::awake) afterwards, whatever this returns.
    pub(super) fn may_sleep(&self, count: &CallerProgress) -> bool {
        // A swap: the model checker does not see that a store stands behind what a helper has swapped in.
        self.helpers.is_caller_asleep.swap(true, Ordering::SeqCst);
        model_fence("sleep, look");
        // SeqCst: of these looks, and that of `must_wake` after something was put or done, one sees what the other has
        // done.
        !self.has_open() && self.bound.is_empty() && !self.is_over(count)
    }

    /// Whether the run will never be over: nodes are pending, and nobody is there who could release one. Never so.
    ///
    /// For the caller, which found nothing to do.
    pub(super) fn is_stuck(&self, count: &CallerProgress) -> bool {
        // SeqCst: what a helper did before it left is seen when it is found to have left.
        let has_no_helpers = self.helpers.n_helpers.load(Ordering::SeqCst) == 0;
        has_no_helpers && !self.has_open() && self.bound.is_empty() && !self.is_over(count)
    }

    /// The caller sleeps no more.
    pub(super) fn awake(&self) {
        // Relaxed: at worst it is woken once more.
        self.helpers
            .is_caller_asleep
            .store(false, Ordering::Relaxed);
    }

    /// Whether a helper has to wake the caller. Called after something was put or done.
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
