//! Runs each node as soon as its predecessors are completed, on the caller and on helpers of a pool.
//!
//! `README.md` in this folder describes the algorithm and argues that it is correct.
#![expect(
    unsafe_code,
    reason = "says of nodes that they were handed out to this thread"
)]

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::collections::HashMap;
use std::panic::catch_unwind;
use std::sync::Arc;

use crossbeam_utils::sync::{Parker, Unparker};
use rayon::ThreadPool;

use super::board::Board;
use super::borrowed::{BorrowToken, Borrowed};
use super::help::{Help, call_for_help};
use super::idle::{PARK_AFTER, idle};
use super::occupation::occupied;
use super::period::{Due, WakeEarly};
use super::placement::Placement;
use super::ready::{CallerProgress, HandedOut, LastLook, PlannedNodes, Ready};
use super::role::Role;
use super::step::{RunContext, RunOptions};
use super::sweep::Helping;
use crate::data::resource::Resources;
use crate::declare::failure::{Cause, Panic};
use crate::run::node::{RunNode, Work};
use crate::run::nodes::Nodes;
use crate::run::outcome::Outcomes;
use crate::verify::plan::Plan;
use schedule_graph::internal::Precedence;

/// The data of a node that a thread reads before it accesses the node itself.
#[derive(Clone, Copy, Debug)]
struct NodeSlot {
    rank: u32,
    kind: HeldKind,
    is_guarded: bool,
    is_folding: bool,
    /// Whether the node is outside of all loops and does not begin one. The run is over when all counted nodes are
    /// completed.
    is_counted: bool,
}

/// How a thread executes a node that it holds.
#[derive(Clone, Copy, Debug)]
enum HeldKind {
    /// Does nothing. Such a node conflicts with no other, not even with an exclusive one. So its holder accesses
    /// nothing that is borrowed.
    Nothing,
    /// Runs a system, or applies commands.
    System,
    /// Applies commands, if there are any. Only then, the caller must do it.
    InsertedSyncPoint,
    /// Runs the sweep that begins with this node.
    Sweep,
    /// Begins the loop of this index in [`ParallelState::loops`].
    Begin(u32),
    /// Ends that loop.
    End(u32),
}

/// A loop. `begin` and `end` are numbers of `ready`, the other fields contain ranks.
#[derive(Debug)]
struct Loop {
    /// Completing this node releases the body.
    begin: u32,
    /// Completing this node releases the successors of the loop. It is handed out when the body is completed. If the
    /// condition is false at the begin, the thread completes the end instead of the begin.
    end: u32,
    begin_rank: u32,
    /// The ranks of the nodes of the body that record commands.
    recorders: Box<[u32]>,
}

/// The state that a schedule keeps between parallel runs.
pub(crate) struct Parallel {
    shared: Arc<ParallelState>,
    parker: Parker,
}

/// The state that helpers share. They own it jointly, so a helper may arrive after the run or after the schedule was
/// dropped.
struct ParallelState {
    ready: Ready,
    borrowed: Borrowed,
    /// `slots[v]`: node v, as numbered by `ready`; len = n_nodes.
    slots: Vec<NodeSlot>,
    loops: Vec<Loop>,
    outcomes: Arc<Outcomes>,
    /// The maximum number of threads that may help at once.
    max_helpers: AtomicU32,
    placement: Placement,
    /// The sweeps that threads share.
    board: Board,
    /// Whether helpers wait for the next run.
    due: Arc<Due>,
    unparker: Unparker,
}

impl Parallel {
    /// Prepares parallel runs of these nodes. O(nodes + edges).
    pub(crate) fn new(nodes: &Nodes, plan: &Plan, precedence: &Precedence, due: &Arc<Due>) -> Self {
        let by_rank = &nodes.by_rank;
        let Precedence { ranks, edges } = precedence;
        let mut number_of = vec![0; by_rank.len()];
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
                _ if plan.sweeps.of(rank).is_some() => HeldKind::Sweep,
                Work::Nothing => HeldKind::Nothing,
                Work::ApplyCommands if node.is_inserted() => HeldKind::InsertedSyncPoint,
                Work::System(_) | Work::ApplyCommands => HeldKind::System,
                Work::Loop(_) => HeldKind::Begin(loop_at[&rank]),
                Work::LoopEnd(begin) => HeldKind::End(loop_at[&begin]),
            };
            NodeSlot {
                rank,
                kind,
                is_guarded: node.is_guarded,
                is_folding: node.is_folding,
                is_counted: plan.enclosing_loop(rank).is_none()
                    && !matches!(kind, HeldKind::Begin(_)),
            }
        };
        // The end of a loop evaluates the condition, which belongs to the begin. So it is bound if the begin is.
        let runs = |node: &RunNode| match node.work {
            Work::LoopEnd(begin) => by_rank[begin as usize].is_bound(),
            _ => node.is_bound() && !node.is_inserted(),
        };
        let is_bound = ranks.iter().map(|&rank| runs(&by_rank[rank as usize]));
        let is_bound: Vec<bool> = is_bound.collect();
        let slots: Vec<NodeSlot> = ranks.iter().map(|&rank| slot(rank)).collect();
        let may_hand_over = by_rank.iter().any(RunNode::is_inserted);
        let n_counted = slots.iter().filter(|slot| slot.is_counted).count();
        let parker = Parker::new();
        let shared = ParallelState {
            ready: Ready::new(edges, &is_bound, may_hand_over, n_counted as u32),
            borrowed: Borrowed::nothing(),
            slots,
            loops: loops.collect(),
            outcomes: Arc::clone(&nodes.outcomes),
            max_helpers: AtomicU32::new(0),
            placement: Placement::new(),
            board: Board::new(!plan.sweeps.is_empty()),
            due: Arc::clone(due),
            unparker: parker.unparker().clone(),
        };
        Self {
            shared: Arc::new(shared),
            parker,
        }
    }

    /// What helpers can wait for before a run.
    pub(super) fn helped(&self) -> Arc<dyn WakeEarly> {
        Arc::<ParallelState>::clone(&self.shared)
    }

    /// Runs all nodes, with at most `max_helpers` helpers from `pool`, or from the pool of this thread if `pool` is
    /// `None`.
    ///
    /// The nodes must be those that were passed to `new`, and prepared for these resources on this thread.
    pub(crate) fn run(
        &mut self,
        nodes: &mut Nodes,
        plan: &Plan,
        resources: &mut Resources,
        how: RunOptions<'_>,
        pool: Option<&ThreadPool>,
        max_helpers: u32,
    ) {
        let shared = &*self.shared;
        // Unchanged values are not written, here and below: a write would make helpers fetch the cache line again.
        // Relaxed: the value reaches threads with the first node of this run. Other threads only use it as an estimate.
        if shared.max_helpers.load(Ordering::Relaxed) != max_helpers {
            shared.max_helpers.store(max_helpers, Ordering::Relaxed);
        }
        // SAFETY: `self` is borrowed exclusively, so the previous run is over. This run is over before this function
        // returns and the borrows end: `wait` returns `None` only after the run, and `occupied` aborts the program on a
        // panic. The caller prepared the nodes.
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
        debug_assert!(shared.ready.is_reset(), "nothing is left pending");
    }

    /// Waits for a node to run. Returns `None` when the run is over.
    fn wait(&self, caller: &mut ReadyWorker<'_>, count: &CallerProgress) -> Option<u32> {
        let ready = &self.shared.ready;
        if ready.is_over(count) {
            return None;
        }
        idle(|since| {
            if self.shared.board.help(Role::Caller) {
                return None;
            }
            if let Some(node) = caller.take() {
                if ready.has_open() {
                    caller.call_helper();
                }
                return Some(Some(node));
            }
            if ready.is_over(count) {
                return Some(None);
            }
            if since > PARK_AFTER {
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
    /// Runs a node that this thread holds. Returns the node to complete: the same node, or for a loop its begin if the
    /// body runs next, otherwise its end.
    #[inline]
    fn run(&self, borrow_token: BorrowToken, run_context: RunContext<'_>, node: u32) -> u32 {
        let slot = self.slots[node as usize];
        match slot.kind {
            HeldKind::Nothing => node,
            HeldKind::Sweep => unreachable!("`ReadyWorker::run` runs it"),
            HeldKind::System | HeldKind::InsertedSyncPoint => {
                if run_context.is_due(slot.rank, slot.is_guarded) {
                    // SAFETY: callers pass only nodes that `ready` handed out to this thread and that are not completed
                    // yet. So this thread holds the node, and the node is due.
                    if let Err(cause) = unsafe { borrow_token.step(run_context, slot.rank) } {
                        return self.fail(borrow_token, run_context, node, cause);
                    }
                }
                node
            }
            HeldKind::Begin(one) => {
                let is_due = run_context.is_due(slot.rank, slot.is_guarded);
                self.evaluate(borrow_token, run_context, node, one, is_due, false)
            }
            HeldKind::End(one) => {
                let Loop {
                    begin_rank,
                    recorders,
                    ..
                } = &self.loops[one as usize];
                if !recorders.is_empty() {
                    // SAFETY: callers pass only nodes that this thread holds. This node is the end of the loop, and
                    // `recorders` are nodes of its body.
                    unsafe {
                        borrow_token.collect_loop_records(run_context, *begin_rank, recorders)
                    };
                }
                self.evaluate(
                    borrow_token,
                    run_context,
                    node,
                    one,
                    run_context.may_repeat(*begin_rank),
                    true,
                )
            }
        }
    }

    /// Decides whether the body of a loop runs next. Evaluates the condition only if `may_evaluate`.
    fn evaluate(
        &self,
        borrow_token: BorrowToken,
        run_context: RunContext<'_>,
        node: u32,
        one: u32,
        may_evaluate: bool,
        is_repeat: bool,
    ) -> u32 {
        let Loop {
            begin,
            end,
            begin_rank,
            ..
        } = self.loops[one as usize];
        if !may_evaluate {
            return end;
        }
        // SAFETY: callers pass only nodes that this thread holds. `node` is the begin or the end of this loop, and the
        // loop is due because of `may_evaluate`.
        match unsafe { borrow_token.evaluate(run_context, begin_rank, is_repeat) } {
            Ok(true) => begin,
            Ok(false) => end,
            Err(cause) => self.fail(borrow_token, run_context, node, cause),
        }
    }

    /// Records the failure of a node that this thread holds. Returns the node to complete.
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
            HeldKind::Nothing
            | HeldKind::System
            | HeldKind::InsertedSyncPoint
            | HeldKind::Sweep => (slot.rank, node),
            HeldKind::Begin(one) | HeldKind::End(one) => {
                let Loop {
                    begin_rank, end, ..
                } = self.loops[one as usize];
                (begin_rank, end)
            }
        };
        // SAFETY: callers pass only nodes that this thread holds. `rank` is the rank of this node, or of the begin of
        // its loop.
        unsafe { borrow_token.fail(run_context, rank, cause) };
        done
    }

    /// Joins partial results, if this node is the last member of a group of folds.
    #[inline]
    fn complete_fold(&self, borrow_token: BorrowToken, run_context: RunContext<'_>, node: u32) {
        let slot = self.slots[node as usize];
        if slot.is_folding && !matches!(slot.kind, HeldKind::Sweep) {
            // SAFETY: callers pass the node that this thread completes next, so this thread holds it.
            unsafe { borrow_token.complete_fold(run_context, slot.rank) };
        }
    }

    /// Helps until there is no more work.
    fn take_part(self: &Arc<Self>) {
        self.placement.leave_caller_processor();
        let mut helper = ReadyWorker::new(self, Role::Helper, None);
        occupied(|| {
            while let Some(node) = self.find(&mut helper) {
                if self.ready.has_open() {
                    helper.call_helper();
                }
                let n_done = helper.work(node);
                self.ready.count_done(n_done);
                helper.wake();
            }
        });
    }

    /// Searches for a node. Returns `None`, and leaves, if it finds none for [`HELPER_TIMEOUT`](super::idle::HELPER_TIMEOUT) and no
    /// run is due.
    fn find(&self, helper: &mut ReadyWorker<'_>) -> Option<u32> {
        let mut seen = LastLook::NOTHING;
        loop {
            self.ready.idle();
            let mut soon = Duration::ZERO;
            let look = |since| {
                if self.board.is_open() {
                    return Some(FoundWork::Sweep);
                }
                let is_left = self.ready.is_unchanged(&mut seen);
                match is_left.then(|| helper.take()).flatten() {
                    Some(node) => Some(FoundWork::Node(node)),
                    None => self
                        .due
                        .is_timeout(since, &mut soon)
                        .then_some(FoundWork::Nothing),
                }
            };
            let found = self.due.measure(|| idle(look));
            self.ready.busy();
            match found {
                FoundWork::Node(node) => return Some(node),
                FoundWork::Sweep => {
                    self.board.help(Role::Helper);
                    continue;
                }
                FoundWork::Nothing => {}
            }
            let is_needed = self.ready.leave();
            let max_helpers = self.max_helpers.load(Ordering::Relaxed);
            if !is_needed || !self.ready.try_add_helper(max_helpers) {
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
        if self.ready.has_open() && self.ready.try_add_helper(max_helpers) {
            self.take_part();
        }
    }
}

impl WakeEarly for ParallelState {
    fn wake_early(self: Arc<Self>, pool: Option<&ThreadPool>, n_helpers: u32) {
        for _ in 0..n_helpers {
            if self.ready.try_add_helper(n_helpers) {
                let helped = Arc::<Self>::clone(&self);
                call_for_help(Role::Helper, pool, &self.placement, helped, 0);
            }
        }
    }
}

/// The work that a helper found.
enum FoundWork {
    Node(u32),
    /// A sweep that another thread shares.
    Sweep,
    Nothing,
}

/// A thread that takes part in a run.
struct ReadyWorker<'a> {
    shared: &'a Arc<ParallelState>,
    role: Role,
    /// The pool for requests for help. `None`: the pool of this thread.
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

    /// Takes a node that no thread holds.
    fn take(&mut self) -> Option<u32> {
        let taken = self.shared.ready.take(self.role, &mut self.planned);
        self.request_help_and_wake(taken);
        taken.next
    }

    /// Runs a node that this thread holds, and then further nodes as long as it gets any. Returns the number of counted
    /// nodes that it completed.
    fn work(&mut self, first: u32) -> u32 {
        let shared: &ParallelState = self.shared;
        // SAFETY: this thread holds the node `first`.
        let borrow_token = unsafe { shared.borrowed.borrow_token() };
        // SAFETY: `run_context` is used only while this thread holds a node, and the run does not end before that node
        // is completed.
        let run_context = unsafe { borrow_token.run_context(&shared.outcomes) };
        let mut node = Some(first);
        let mut n_done = 0;
        loop {
            // One call around all nodes: it costs nothing unless a system panics, but it prevents inlining.
            let result = catch_unwind(AssertUnwindSafe(|| {
                while let Some(one) = node {
                    let Some(done) = self.run(borrow_token, run_context, one) else {
                        node = self.follow(shared.ready.hand_over(one));
                        continue;
                    };
                    shared.complete_fold(borrow_token, run_context, done);
                    node = self.complete(done);
                    n_done += u32::from(shared.slots[done as usize].is_counted);
                }
            }));
            let (Err(payload), Some(one)) = (result, node) else {
                return n_done;
            };
            let cause = Cause::Panic(Panic::new(payload));
            let done = shared.fail(borrow_token, run_context, one, cause);
            shared.complete_fold(borrow_token, run_context, done);
            node = self.complete(done);
            n_done += u32::from(shared.slots[done as usize].is_counted);
        }
    }

    /// Runs a node that this thread holds. Returns the node to complete, or `None` if only the caller may run the node.
    #[inline]
    fn run(
        &self,
        borrow_token: BorrowToken,
        run_context: RunContext<'_>,
        node: u32,
    ) -> Option<u32> {
        let slot = self.shared.slots[node as usize];
        match slot.kind {
            HeldKind::Sweep => {
                self.run_sweep(borrow_token, run_context, slot.rank);
                Some(node)
            }
            HeldKind::InsertedSyncPoint if self.role == Role::Helper => {
                let is_passed = !run_context.is_due(slot.rank, slot.is_guarded)
                    // SAFETY: this thread holds the node, which is an inserted sync point, and the node is due.
                    || unsafe { borrow_token.pass_sync_point(run_context, slot.rank) };
                is_passed.then_some(node)
            }
            _ => Some(self.shared.run(borrow_token, run_context, node)),
        }
    }

    /// Runs the sweep that begins with the node of this rank, which this thread holds. Other threads can help.
    fn run_sweep(&self, borrow_token: BorrowToken, run_context: RunContext<'_>, rank: u32) {
        let max_helpers = self.shared.max_helpers.load(Ordering::Relaxed);
        let helping = Helping {
            board: &self.shared.board,
            role: self.role,
            n_threads: max_helpers as usize + 1,
            call: &|| {
                self.wake();
                (0..max_helpers).for_each(|_| self.call_helper());
            },
        };
        // SAFETY: this thread holds the node, which represents all members of the sweep.
        unsafe { borrow_token.run_sweep(run_context, rank, Some(&helping)) };
    }

    /// Completes a node that this thread holds. Returns the next node for this thread.
    fn complete(&mut self, node: u32) -> Option<u32> {
        let found = self.shared.ready.complete(self.role, node);
        self.follow(found)
    }

    /// Returns the next node for this thread.
    fn follow(&mut self, found: HandedOut) -> Option<u32> {
        self.request_help_and_wake(found);
        found.next.or_else(|| self.take())
    }

    /// Requests help for open nodes, and wakes the caller, as needed.
    fn request_help_and_wake(&self, found: HandedOut) {
        if found.has_open {
            self.call_helper();
        }
        if found.has_put {
            self.wake();
        }
    }

    /// Requests one more helper, if the maximum is not reached.
    fn call_helper(&self) {
        let max_helpers = self.shared.max_helpers.load(Ordering::Relaxed);
        if self.shared.ready.try_add_helper(max_helpers) {
            let helped = Arc::<ParallelState>::clone(self.shared);
            call_for_help(self.role, self.pool, &self.shared.placement, helped, 0);
        }
    }

    /// Wakes the caller, if this thread is a helper and the caller is parked.
    fn wake(&self) {
        if self.role == Role::Helper && self.shared.ready.must_wake() {
            self.shared.unparker.unpark();
        }
    }
}
