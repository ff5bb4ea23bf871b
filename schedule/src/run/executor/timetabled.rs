//! Runs nodes by a timetable, on the caller and on helpers of a pool.
//!
//! `README.md` in this folder describes the algorithm and argues that it is correct.
#![expect(
    unsafe_code,
    reason = "says of nodes that they were handed out to this thread"
)]

use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::thread;

use rayon::ThreadPool;

use super::borrowed::{BorrowToken, Borrowed};
use super::help::{Help, call_for_help};
use super::idle::{PARK_AFTER, idle};
use super::lane::{HeldLane, Lanes};
use super::occupation::occupied;
use super::period::{Due, WakeEarly};
use super::placement::Placement;
use super::role::Role;
use super::step::{RunContext, RunOptions};
use crate::data::resource::Resources;
use crate::declare::failure::{Cause, Panic};
use crate::run::node::Work;
use crate::run::nodes::Nodes;
use crate::run::outcome::Outcomes;
use crate::verify::plan::Plan;
use crate::verify::sweeps::PlannedSweep;
use schedule_graph::internal::{Timetable, Wait};

/// A helper that waits this long for another lane releases its own lane and leaves, so that its pool can do other work.
/// Waits of a timetable are usually shorter. If a helper left earlier, the caller would often have to run both lanes.
const WAIT_LIMIT: Duration = Duration::from_millis(1);

/// The lane that only the caller takes. It contains the bound nodes.
const OF_CALLER: usize = 0;

/// The state that a schedule without loops keeps between runs by timetable.
pub(crate) struct Timetabled {
    shared: Arc<TimetableState>,
}

/// The state that helpers share. They own it jointly, so a helper may arrive after the run or after the schedule was
/// dropped.
struct TimetableState {
    lanes: Lanes,
    borrowed: Borrowed,
    /// `slots[l][i]`: entry i of lane l.
    slots: Vec<Vec<LaneSlot>>,
    waits: Vec<Wait>,
    outcomes: Arc<Outcomes>,
    /// The maximum number of threads that may help at once.
    max_helpers: AtomicU32,
    placement: Placement,
    /// Whether helpers wait for the next run.
    due: Arc<Due>,
}

/// The data of an entry that a thread reads before it accesses the node.
#[derive(Clone, Copy, Debug)]
struct LaneSlot {
    rank: u32,
    is_guarded: bool,
    is_folding: bool,
    /// Whether the node represents a sweep of several members.
    is_sweep: bool,
    /// Whether the node does anything.
    is_busy: bool,
    is_awaited: bool,
    /// The range of its waits in [`TimetableState::waits`].
    waits: (u32, u32),
}

/// The reason why a thread stops in a lane.
enum Stop {
    /// The requested number of entries is completed.
    Reached,
    /// An entry waits for a lane that no thread has.
    Waits(Wait),
    /// A helper has waited for [`WAIT_LIMIT`].
    TimedOut,
}

impl Timetabled {
    /// Prepares runs of these nodes, none of which is in a loop. O(nodes + edges).
    pub(crate) fn new(nodes: &Nodes, plan: &Plan, timetable: &Timetable, due: &Arc<Due>) -> Self {
        let mut waits: Vec<Wait> = Vec::new();
        let slots = timetable.lanes.iter().map(|lane| {
            let slots = (1..).zip(lane).map(|(n_done, &entry)| {
                let node = &nodes.by_rank[entry.rank as usize];
                let first = waits.len() as u32;
                waits.extend_from_slice(timetable.waits(entry));
                LaneSlot {
                    rank: entry.rank,
                    is_guarded: node.is_guarded,
                    is_folding: node.is_folding,
                    is_sweep: plan
                        .sweeps
                        .of(entry.rank)
                        .is_some_and(PlannedSweep::has_several),
                    is_busy: !matches!(node.work, Work::Nothing),
                    // `release` publishes the end of the lane.
                    is_awaited: entry.is_awaited && n_done < lane.len(),
                    waits: (first, waits.len() as u32),
                }
            });
            slots.collect::<Vec<LaneSlot>>()
        });
        let slots: Vec<Vec<LaneSlot>> = slots.collect();
        let shared = TimetableState {
            lanes: Lanes::new(slots.iter().map(Vec::len)),
            borrowed: Borrowed::nothing(),
            slots,
            waits,
            outcomes: Arc::clone(&nodes.outcomes),
            max_helpers: AtomicU32::new(0),
            placement: Placement::new(),
            due: Arc::clone(due),
        };
        Self {
            shared: Arc::new(shared),
        }
    }

    /// What helpers can wait for before a run.
    pub(super) fn helped(&self) -> Arc<dyn WakeEarly> {
        Arc::<TimetableState>::clone(&self.shared)
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
        let max_helpers = max_helpers.min(shared.lanes.len() as u32 - 1);
        // Unchanged values are not written, here and below: a write would make helpers fetch the cache line again.
        // Relaxed: the value is only an estimate for other threads.
        if shared.max_helpers.load(Ordering::Relaxed) != max_helpers {
            shared.max_helpers.store(max_helpers, Ordering::Relaxed);
        }
        // SAFETY: `self` is borrowed exclusively, so the previous run is over. This run is over when all lanes are at
        // their ends, before this function returns and the borrows end. The caller prepared the nodes.
        unsafe { shared.borrowed.lend(nodes, plan, resources, how) };
        let caller = LaneWorker {
            shared: &self.shared,
            role: Role::Caller,
            pool,
        };
        occupied(|| {
            let n_runs = shared.lanes.begin();
            caller.call_helper();
            for lane in 0..shared.lanes.len() {
                if lane != OF_CALLER && shared.is_help_wanted() {
                    caller.call_helper();
                }
                caller.complete_up_to(lane, shared.lanes.n_after(lane, n_runs));
            }
        });
    }
}

/// A thread that takes part in a run.
struct LaneWorker<'a> {
    shared: &'a Arc<TimetableState>,
    role: Role,
    /// The pool for requests for help. `None`: the pool of this thread.
    pool: Option<&'a ThreadPool>,
}

impl LaneWorker<'_> {
    /// Waits until `n_done` entries of a lane are completed, and runs the lane meanwhile if no other thread has it.
    ///
    /// Returns `false` if a helper has waited for [`WAIT_LIMIT`] before that.
    fn complete_up_to(&self, lane: usize, n_done: u64) -> bool {
        let lanes = &self.shared.lanes;
        loop {
            let claimed = idle(|since| {
                if lanes.n_done(lane) >= n_done {
                    return Some(Ok(None));
                }
                if self.may_take(lane)
                    && let Some(held) = lanes.claim(lane)
                {
                    return Some(Ok(Some(held)));
                }
                match self.role {
                    Role::Helper => (since > WAIT_LIMIT).then_some(Err(())),
                    Role::Caller => {
                        park_briefly(since);
                        None
                    }
                }
            });
            match claimed {
                Ok(None) => return true,
                Ok(Some(held)) => {
                    if !self.run_lane(held, n_done) {
                        return false;
                    }
                }
                Err(()) => return false,
            }
        }
    }

    fn may_take(&self, lane: usize) -> bool {
        lane != OF_CALLER || self.role == Role::Caller
    }

    /// Runs a lane until `n_done` entries are completed, or until another thread has the lane. If an entry waits for a
    /// lane that no thread has, this thread runs that lane first.
    ///
    /// Returns `false` if a helper has waited for [`WAIT_LIMIT`] before that.
    fn run_lane(&self, mut held: HeldLane, n_done: u64) -> bool {
        let lanes = &self.shared.lanes;
        loop {
            let lane = held.lane;
            match self.run_entries(&mut held, n_done) {
                Stop::Reached => {
                    lanes.release(held);
                    return true;
                }
                Stop::TimedOut => {
                    lanes.release(held);
                    return false;
                }
                Stop::Waits(wait) => {
                    let before = lanes.n_after(wait.lane as usize, held.n_runs - 1);
                    // Other threads may take this lane meanwhile.
                    lanes.release(held);
                    self.call_helper();
                    let wanted = before + u64::from(wait.n_entries);
                    if !self.complete_up_to(wait.lane as usize, wanted) {
                        return false;
                    }
                    match lanes.claim(lane) {
                        Some(next) => held = next,
                        None => return true,
                    }
                }
            }
        }
    }

    /// Runs the entries of a lane until `n_done` are completed, or until an entry has to wait for a lane that no thread
    /// has.
    fn run_entries(&self, held: &mut HeldLane, n_done: u64) -> Stop {
        let shared: &TimetableState = self.shared;
        // SAFETY: this thread has the lane, and entries of it are left. So it holds the next node of the lane, until it
        // releases the lane or has completed its last entry.
        let borrow_token = unsafe { shared.borrowed.borrow_token() };
        // SAFETY: the run does not end before the lane is at its end, and `run_context` is not used after that.
        let run_context = unsafe { borrow_token.run_context(&shared.outcomes) };
        loop {
            // One call around all nodes: it costs nothing unless a system panics, but it prevents inlining.
            let result = catch_unwind(AssertUnwindSafe(|| {
                self.run_entries_uncaught(held, n_done, borrow_token, run_context)
            }));
            match result {
                Ok(stop) => return stop,
                Err(payload) => {
                    let slot = shared.slot(held);
                    let cause = Cause::Panic(Panic::new(payload));
                    // SAFETY: the panic came from the next node of the lane, which this thread holds until it completes
                    // it below.
                    unsafe { borrow_token.fail(run_context, slot.rank, cause) };
                    shared.complete_fold(borrow_token, run_context, slot);
                    shared.complete(held, slot);
                }
            }
        }
    }

    #[inline]
    fn run_entries_uncaught(
        &self,
        held: &mut HeldLane,
        n_done: u64,
        borrow_token: BorrowToken,
        run_context: RunContext<'_>,
    ) -> Stop {
        let shared: &TimetableState = self.shared;
        if held.n_done >= n_done {
            // `n_done` may belong to a run that is over, since this thread released the lane while it waited.
            return Stop::Reached;
        }
        let before = shared.lanes.n_after(held.lane, held.n_runs - 1);
        let range = (held.n_done - before) as usize..(n_done - before) as usize;
        let mut slots = &shared.slots[held.lane][range];
        while let [slot, behind @ ..] = slots {
            slots = behind;
            let waits = &shared.waits[slot.waits.0 as usize..slot.waits.1 as usize];
            for &wait in waits {
                if let Some(stop) = self.wait(held, wait) {
                    return stop;
                }
            }
            if slot.is_busy {
                if run_context.how.is_cold
                    && let Some(next) = behind.first()
                {
                    // SAFETY: this thread has the lane and holds the node of `slot`, which runs a system. `next`
                    // follows it in the lane.
                    unsafe { borrow_token.prefetch(next.rank) };
                }
                if slot.is_sweep {
                    // SAFETY: this thread has the lane, and the waits of the node are over. So it holds the node, which
                    // represents all members of the sweep.
                    unsafe { borrow_token.run_sweep(run_context, slot.rank, None) };
                } else if run_context.is_due(slot.rank, slot.is_guarded) {
                    // SAFETY: this thread has the lane, and the waits of the node are over. So it holds the node, and
                    // the node is due.
                    if let Err(cause) = unsafe { borrow_token.step(run_context, slot.rank) } {
                        // SAFETY: this thread holds the node until `complete` below.
                        unsafe { borrow_token.fail(run_context, slot.rank, cause) };
                    }
                }
            }
            shared.complete_fold(borrow_token, run_context, *slot);
            shared.complete(held, *slot);
            if slot.is_awaited && shared.is_help_wanted() {
                self.call_helper();
            }
        }
        Stop::Reached
    }

    /// Waits for the thread that has another lane. Returns the reason if the wait is given up.
    #[inline]
    fn wait(&self, held: &HeldLane, wait: Wait) -> Option<Stop> {
        let lanes = &self.shared.lanes;
        let other = wait.lane as usize;
        let wanted = lanes.n_after(other, held.n_runs - 1) + u64::from(wait.n_entries);
        if lanes.n_done(other) >= wanted {
            return None;
        }
        self.wait_on(other, wanted, wait)
    }

    #[cold]
    fn wait_on(&self, other: usize, wanted: u64, wait: Wait) -> Option<Stop> {
        let lanes = &self.shared.lanes;
        idle(|since| {
            if lanes.n_done(other) >= wanted {
                return Some(None);
            }
            if self.may_take(other) && !lanes.is_held(other) {
                return Some(Some(Stop::Waits(wait)));
            }
            match self.role {
                Role::Helper => (since > WAIT_LIMIT).then_some(Some(Stop::TimedOut)),
                Role::Caller => {
                    park_briefly(since);
                    None
                }
            }
        })
    }

    /// Requests one more helper, if the maximum is not reached.
    fn call_helper(&self) {
        let max_helpers = self.shared.max_helpers.load(Ordering::Relaxed);
        if self.shared.lanes.try_add_helper(max_helpers) {
            let helped = Arc::<TimetableState>::clone(self.shared);
            call_for_help(self.role, self.pool, &self.shared.placement, helped, 0);
        }
    }
}

/// Parks a caller that has waited for [`PARK_AFTER`], for that time at most. Helpers do not wake it: between short systems,
/// wake-ups would cost more than they save.
fn park_briefly(since: Duration) {
    if since > PARK_AFTER {
        thread::park_timeout(PARK_AFTER);
    }
}

impl TimetableState {
    #[inline]
    fn slot(&self, held: &HeldLane) -> LaneSlot {
        let before = self.lanes.n_after(held.lane, held.n_runs - 1);
        self.slots[held.lane][(held.n_done - before) as usize]
    }

    /// Whether there are fewer helpers than the maximum, and a lane for one more. Helpers that waited too long have
    /// left.
    #[inline]
    fn is_help_wanted(&self) -> bool {
        let max_helpers = self.max_helpers.load(Ordering::Relaxed);
        self.lanes.has_fewer_helpers(max_helpers) && self.lanes.is_any_left()
    }

    /// Joins partial results, if the node is the last member of a group of folds.
    #[inline]
    fn complete_fold(
        &self,
        borrow_token: BorrowToken,
        run_context: RunContext<'_>,
        slot: LaneSlot,
    ) {
        if slot.is_folding && !slot.is_sweep {
            // SAFETY: callers pass the entry that this thread completes next, so this thread holds the node.
            unsafe { borrow_token.complete_fold(run_context, slot.rank) };
        }
    }

    #[inline]
    fn complete(&self, held: &mut HeldLane, slot: LaneSlot) {
        held.n_done += 1;
        if slot.is_awaited {
            self.lanes.publish(held);
        }
    }

    /// Helps until there is no more work.
    fn take_part(self: &Arc<Self>) {
        self.placement.leave_caller_processor();
        let helper = LaneWorker {
            shared: self,
            role: Role::Helper,
            pool: None,
        };
        occupied(|| {
            loop {
                while let Some(held) = self.find() {
                    helper.call_helper();
                    let end = self.lanes.n_after(held.lane, held.n_runs);
                    if !helper.run_lane(held, end) {
                        // `run_entries_uncaught` requests help again when others can continue.
                        self.lanes.leave();
                        return;
                    }
                }
                let is_needed = self.lanes.leave();
                let max_helpers = self.max_helpers.load(Ordering::Relaxed);
                if !is_needed || !self.lanes.try_add_helper(max_helpers) {
                    return;
                }
            }
        });
    }

    /// Searches for a lane, for [`HELPER_TIMEOUT`](super::idle::HELPER_TIMEOUT), or as long as a run is due.
    fn find(&self) -> Option<HeldLane> {
        let mut soon = Duration::ZERO;
        let look = |since| {
            let mut others = OF_CALLER + 1..self.lanes.len();
            match others.find_map(|lane| self.lanes.claim(lane)) {
                None if !self.due.is_timeout(since, &mut soon) => None,
                found => Some(found),
            }
        };
        self.due.measure(|| idle(look))
    }
}

impl Help for TimetableState {
    fn help(self: Arc<Self>, _: u32) {
        self.take_part();
    }

    fn withdraw(&self, _: u32) -> bool {
        self.lanes.leave()
    }

    fn help_if_needed(self: Arc<Self>) {
        let max_helpers = self.max_helpers.load(Ordering::Relaxed);
        if self.lanes.is_any_left() && self.lanes.try_add_helper(max_helpers) {
            self.take_part();
        }
    }
}

impl WakeEarly for TimetableState {
    fn wake_early(self: Arc<Self>, pool: Option<&ThreadPool>, n_helpers: u32) {
        let n_helpers = n_helpers.min(self.lanes.len() as u32 - 1);
        for _ in 0..n_helpers {
            if self.lanes.try_add_helper(n_helpers) {
                let helped = Arc::<Self>::clone(&self);
                call_for_help(Role::Helper, pool, &self.placement, helped, 0);
            }
        }
    }
}
