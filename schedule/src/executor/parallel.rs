//! Every node as soon as what it waits for is done, on the thread that calls and on those of a pool that help it.
//!
//! `README.md` beside this file tells how, and why it is right.
#![expect(
    unsafe_code,
    reason = "says of nodes that they were handed out to this thread"
)]

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::HashMap;
use std::panic::catch_unwind;
use std::sync::Arc;

use crossbeam_utils::sync::{Parker, Unparker};
use rayon::ThreadPool;

use super::borrowed::{BorrowToken, Borrowed};
use super::help::{Help, call_for_help};
use super::idle::{LINGER, STAY, idle};
use super::occupation::occupied;
use super::placement::Placement;
use super::ready::{CallerProgress, HandedOut, PlannedNodes, Ready, Seen};
use super::role::Role;
use super::step::{How, RunContext};
use crate::failure::{Cause, Panic};
use crate::node::{RunNode, Work};
use crate::nodes::Nodes;
use crate::outcome::Outcomes;
use crate::plan::Plan;
use crate::resource::Resources;
use schedule_graph::internal::Precedence;

/// A node, as far as threads need to know it before they touch it.
#[derive(Clone, Copy, Debug)]
struct NodeSlot {
    rank: u32,
    kind: HeldKind,
    is_guarded: bool,
    /// It is outside of all loops, and no begin of one: the run is over when all of these are completed.
    is_counted: bool,
}

/// What a node is to a thread that holds it.
#[derive(Clone, Copy, Debug)]
enum HeldKind {
    /// It does nothing. It conflicts with no other, not even an exclusive one, so a thread that holds it touches nothing
    /// that is borrowed.
    Nothing,
    /// It runs something.
    System,
    /// It begins the loop of this index in [`ParallelState::loops`].
    Begin(u32),
    /// It ends that loop.
    End(u32),
}

/// A loop, as `ready` and as the plan call it.
#[derive(Debug)]
struct Loop {
    /// To complete this one releases the body.
    begin: u32,
    /// To complete this one releases what comes after the loop. It is handed out when the body is completed; if the
    /// loop asks at the begin already and is told no, it is completed instead of that.
    end: u32,
    begin_rank: u32,
    /// The ranks of the nodes of the body that record commands.
    recorders: Box<[u32]>,
}

/// What a schedule keeps to be run by several threads.
pub(crate) struct Parallel {
    shared: Arc<ParallelState>,
    parker: Parker,
}

/// What a helper knows. It outlives the run, and the schedule: a helper may come late.
struct ParallelState {
    ready: Ready,
    borrowed: Borrowed,
    /// `slots[v]`: the node that `ready` calls v; len = n_nodes.
    slots: Vec<NodeSlot>,
    loops: Vec<Loop>,
    outcomes: Arc<Outcomes>,
    /// How many threads may help at once.
    max_helpers: AtomicU32,
    placement: Placement,
    unparker: Unparker,
}

impl Parallel {
    /// For these nodes. O(nodes + edges).
    pub(crate) fn new(nodes: &Nodes, plan: &Plan, precedence: &Precedence) -> Self {
        let by_rank = &nodes.by_rank;
        let Precedence { ranks, edges } = precedence;
        let mut number_of = vec![0; ranks.len()];
        for (number, &rank) in (0..).zip(ranks) {
            number_of[rank as usize] = number;
        }
        let loops = plan.loops.iter().map(|one| Loop {
            begin: number_of[one.begin as usize],
            end: number_of[one.end as usize],
            begin_rank: one.begin,
            recorders: nodes.recorders_in(*one).into(),
        });
        let loop_at: HashMap<u32, u32> = plan.loops.iter().map(|one| one.begin).zip(0..).collect();
        let slot = |rank: u32| {
            let node = &by_rank[rank as usize];
            let kind = match node.work {
                Work::Nothing => HeldKind::Nothing,
                Work::System(_) | Work::ApplyCommands => HeldKind::System,
                Work::Loop(_) => HeldKind::Begin(loop_at[&rank]),
                Work::LoopEnd(begin) => HeldKind::End(loop_at[&begin]),
            };
            NodeSlot {
                rank,
                kind,
                is_guarded: node.is_guarded,
                is_counted: plan.around(rank).is_none() && !matches!(kind, HeldKind::Begin(_)),
            }
        };
        // The end of a loop asks its condition again.
        let runs = |node: &RunNode| match node.work {
            Work::LoopEnd(begin) => by_rank[begin as usize].is_bound(),
            _ => node.is_bound(),
        };
        let is_bound = ranks.iter().map(|&rank| runs(&by_rank[rank as usize]));
        let is_bound: Vec<bool> = is_bound.collect();
        let slots: Vec<NodeSlot> = ranks.iter().map(|&rank| slot(rank)).collect();
        let n_counted = slots.iter().filter(|slot| slot.is_counted).count();
        let parker = Parker::new();
        let shared = ParallelState {
            ready: Ready::new(edges, &is_bound, n_counted as u32),
            borrowed: Borrowed::nothing(),
            slots,
            loops: loops.collect(),
            outcomes: Arc::clone(&nodes.outcomes),
            max_helpers: AtomicU32::new(0),
            placement: Placement::new(),
            unparker: parker.unparker().clone(),
        };
        Self {
            shared: Arc::new(shared),
            parker,
        }
    }

    /// Runs all nodes, helped by at most `max_helpers` threads of the pool; without one, of the pool of this thread.
    ///
    /// They are the nodes that this was made for, and prepared for these resources, on this thread.
    pub(crate) fn run(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        how: How,
        pool: Option<&ThreadPool>,
        max_helpers: u32,
    ) {
        let shared = &*self.shared;
        // Here and below, nothing is written that does not change: helpers would have to fetch it again.
        // Relaxed: read by those who got a node of this run, or for a guess.
        if shared.max_helpers.load(Ordering::Relaxed) != max_helpers {
            shared.max_helpers.store(max_helpers, Ordering::Relaxed);
        }
        // SAFETY: the run before this is over, since `self` is borrowed; this one is when `work` returns.
        unsafe { shared.borrowed.lend(nodes, plan, resources, how) };
        let mut caller = ReadyWorker::new(&self.shared, Role::Caller, pool);
        occupied(|| {
            let (mut count, roots) = shared.ready.begin();
            let mut first = caller.follow(roots);
            while let Some(node) = first {
                count.n_own += caller.work(node);
                first = self.wait(&mut caller, &count);
            }
        });
        debug_assert!(shared.ready.is_at_rest(), "nothing is left pending");
    }

    /// Waits for a node to run; for the end of the run, if there is none.
    fn wait(&self, caller: &mut ReadyWorker<'_>, count: &CallerProgress) -> Option<u32> {
        let ready = &self.shared.ready;
        if ready.is_over(count) {
            return None;
        }
        idle(|since| {
            if let Some(node) = caller.take() {
                if ready.has_open() {
                    caller.ask();
                }
                return Some(Some(node));
            }
            if ready.is_over(count) {
                return Some(None);
            }
            if since > LINGER {
                if ready.may_sleep(count) {
                    debug_assert!(!ready.is_stuck(count), "nothing is left pending");
                    self.parker.park();
                }
                ready.awake();
            }
            None
        })
    }
}

impl ParallelState {
    /// Runs a node that was handed out to this thread. Returns which one is to be completed for it: of a loop the begin,
    /// if its body is to run, and else the end.
    #[inline]
    fn run(&self, borrow_token: BorrowToken, run_context: RunContext<'_>, node: u32) -> u32 {
        let slot = self.slots[node as usize];
        match slot.kind {
            HeldKind::Nothing => node,
            HeldKind::System => {
                if run_context.is_due(slot.rank, slot.is_guarded) {
                    // SAFETY: the node was handed out to this thread.
                    if let Err(cause) = unsafe { borrow_token.step(run_context, slot.rank) } {
                        return self.fail(borrow_token, run_context, node, cause);
                    }
                }
                node
            }
            HeldKind::Begin(one) => {
                let is_due = run_context.is_due(slot.rank, slot.is_guarded);
                self.ask(borrow_token, run_context, node, one, is_due, false)
            }
            HeldKind::End(one) => {
                let Loop {
                    begin_rank,
                    recorders,
                    ..
                } = &self.loops[one as usize];
                if !recorders.is_empty() {
                    // SAFETY: the end of the loop was handed out to this thread.
                    unsafe { borrow_token.gather(run_context, *begin_rank, recorders) };
                }
                self.ask(
                    borrow_token,
                    run_context,
                    node,
                    one,
                    run_context.goes_on(*begin_rank),
                    true,
                )
            }
        }
    }

    /// Asks whether the body of a loop is to run, if it may ask.
    fn ask(
        &self,
        borrow_token: BorrowToken,
        run_context: RunContext<'_>,
        node: u32,
        one: u32,
        may_ask: bool,
        is_repeat: bool,
    ) -> u32 {
        let Loop {
            begin,
            end,
            begin_rank,
            ..
        } = self.loops[one as usize];
        if !may_ask {
            return end;
        }
        // SAFETY: the begin or the end of the loop was handed out to this thread.
        match unsafe { borrow_token.ask(run_context, begin_rank, is_repeat) } {
            Ok(true) => begin,
            Ok(false) => end,
            Err(cause) => self.fail(borrow_token, run_context, node, cause),
        }
    }

    /// Notes that a node has failed that was handed out to this thread. Returns which one is to be completed for it.
    #[cold]
    fn fail(
        &self,
        borrow_token: BorrowToken,
        run_context: RunContext<'_>,
        node: u32,
        cause: Cause,
    ) -> u32 {
        let slot = self.slots[node as usize];
        let (rank, done) = match slot.kind {
            HeldKind::Nothing | HeldKind::System => (slot.rank, node),
            HeldKind::Begin(one) | HeldKind::End(one) => {
                let Loop {
                    begin_rank, end, ..
                } = self.loops[one as usize];
                (begin_rank, end)
            }
        };
        // SAFETY: the node was handed out to this thread.
        unsafe { borrow_token.fail(run_context, rank, cause) };
        done
    }

    /// What a helper does.
    fn take_part(self: &Arc<Self>) {
        self.placement.keep_apart();
        let mut helper = ReadyWorker::new(self, Role::Helper, None);
        occupied(|| {
            while let Some(node) = self.find(&mut helper) {
                if self.ready.has_open() {
                    helper.ask();
                }
                let n_done = helper.work(node);
                self.ready.count_done(n_done);
                helper.wake();
            }
        });
    }

    /// Looks for a node for a while, and leaves if there is none.
    fn find(&self, helper: &mut ReadyWorker<'_>) -> Option<u32> {
        let mut seen = Seen::NOTHING;
        loop {
            self.ready.idle();
            let found = idle(|since| {
                let is_left = self.ready.is_left_lying(&mut seen);
                match is_left.then(|| helper.take()).flatten() {
                    None if since < STAY => None,
                    found => Some(found),
                }
            });
            self.ready.busy();
            if found.is_some() {
                return found;
            }
            let is_needed = self.ready.leave();
            if !is_needed || !self.ready.try_ask(self.max_helpers.load(Ordering::Relaxed)) {
                return None;
            }
        }
    }
}

impl Help for ParallelState {
    fn help(self: Arc<Self>, _: u32) {
        self.take_part();
    }

    fn withdraw(&self, _: u32) -> bool {
        self.ready.leave()
    }

    fn help_if_needed(self: Arc<Self>) {
        let max_helpers = self.max_helpers.load(Ordering::Relaxed);
        if self.ready.has_open() && self.ready.try_ask(max_helpers) {
            self.take_part();
        }
    }
}

/// A thread that takes part in a run.
struct ReadyWorker<'a> {
    shared: &'a Arc<ParallelState>,
    role: Role,
    /// Where it asks for help, if not in the pool of this thread.
    pool: Option<&'a ThreadPool>,
    planned: PlannedNodes,
}

impl<'a> ReadyWorker<'a> {
    fn new(shared: &'a Arc<ParallelState>, role: Role, pool: Option<&'a ThreadPool>) -> Self {
        Self {
            shared,
            role,
            pool,
            planned: PlannedNodes::EMPTY,
        }
    }

    /// Takes a node that nobody has.
    fn take(&mut self) -> Option<u32> {
        let taken = self.shared.ready.take(self.role, &mut self.planned);
        self.tell(taken);
        taken.next
    }

    /// Runs a node that was handed out to this thread, and others as long as there are any. Returns how many of those
    /// that are counted it has completed.
    fn work(&mut self, first: u32) -> u32 {
        let shared: &ParallelState = self.shared;
        // SAFETY: a node is handed out to this thread, and then the next one, until it has none.
        let borrow_token = unsafe { shared.borrowed.borrow_token() };
        // SAFETY: as above.
        let run_context = unsafe { borrow_token.run_context(&shared.outcomes) };
        let mut node = Some(first);
        let mut n_done = 0;
        loop {
            // To catch costs nothing until somebody panics, but hinders inlining: once around all of them.
            let result = catch_unwind(AssertUnwindSafe(|| {
                while let Some(one) = node {
                    let done = shared.run(borrow_token, run_context, one);
                    node = self.complete(done);
                    n_done += u32::from(shared.slots[done as usize].is_counted);
                }
            }));
            let (Err(payload), Some(one)) = (result, node) else {
                return n_done;
            };
            let cause = Cause::Panic(Panic::new(payload));
            let done = shared.fail(borrow_token, run_context, one, cause);
            node = self.complete(done);
            n_done += u32::from(shared.slots[done as usize].is_counted);
        }
    }

    /// Completes a node that was handed out to this thread, and returns the next one.
    fn complete(&mut self, node: u32) -> Option<u32> {
        let found = self.shared.ready.complete(self.role, node);
        self.follow(found)
    }

    /// The next node for this thread.
    fn follow(&mut self, found: HandedOut) -> Option<u32> {
        self.tell(found);
        found.next.or_else(|| self.take())
    }

    /// Tells others that there is something for them, if there is.
    fn tell(&self, found: HandedOut) {
        if found.has_open {
            self.ask();
        }
        if found.has_put {
            self.wake();
        }
    }

    /// Asks for a helper, if there may be one more.
    fn ask(&self) {
        let max_helpers = self.shared.max_helpers.load(Ordering::Relaxed);
        if self.shared.ready.try_ask(max_helpers) {
            let helped = Arc::<ParallelState>::clone(self.shared);
            call_for_help(self.role, self.pool, &self.shared.placement, helped, 0);
        }
    }

    /// Wakes the caller, if this is a helper and the caller sleeps.
    fn wake(&self) {
        if self.role == Role::Helper && self.shared.ready.must_wake() {
            self.shared.unparker.unpark();
        }
    }
}
