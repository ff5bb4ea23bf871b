//! Every node where and when a timetable says, on the thread that calls and on those of a pool that help it.
//!
//! `README.md` beside this file tells how, and why it is right.
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
use super::idle::{LINGER, STAY, idle};
use super::lane::{Held, Lanes};
use super::occupation::occupied;
use super::placement::Placement;
use super::role::Role;
use super::step::{How, RunContext};
use crate::failure::{Cause, Panic};
use crate::node::Work;
use crate::nodes::Nodes;
use crate::outcome::Outcomes;
use crate::plan::Plan;
use crate::resource::Resources;
use schedule_graph::internal::{Timetable, Wait};

/// After this long, a helper that waits for another lane lets go of its own and leaves, so that its pool can do something
/// else. What the timetable lets it wait for is short as a rule, and without it the caller would have both lanes.
const TIRED: Duration = Duration::from_millis(1);

/// The lane of the caller, which nobody else takes: what is bound is there.
const OF_CALLER: usize = 0;

/// What a schedule without loops keeps to be run by timetable.
pub(crate) struct Timetabled {
    shared: Arc<TimetableState>,
}

/// What a helper knows. It outlives the run, and the schedule: a helper may come late.
struct TimetableState {
    lanes: Lanes,
    borrowed: Borrowed,
    /// By lane.
    slots: Vec<Vec<LaneSlot>>,
    waits: Vec<Wait>,
    outcomes: Arc<Outcomes>,
    /// How many threads may help at once.
    max_helpers: AtomicU32,
    placement: Placement,
}

/// An entry of the timetable, as far as threads need to know it before they touch its node.
#[derive(Clone, Copy, Debug)]
struct LaneSlot {
    rank: u32,
    is_guarded: bool,
    /// It runs something.
    is_busy: bool,
    is_awaited: bool,
    /// Where its waits begin and end in [`TimetableState::waits`].
    waits: (u32, u32),
}

/// Why a thread does not go on with a lane.
enum Stop {
    /// It has come as far as it was to.
    There,
    /// It waits for that, which nobody is at.
    For(Wait),
    /// Nothing has happened for a while.
    Tired,
}

impl Timetabled {
    /// For these nodes, none of which is in a loop. O(nodes + edges).
    pub(crate) fn new(nodes: &Nodes, timetable: &Timetable) -> Self {
        let mut waits: Vec<Wait> = Vec::new();
        let slots = timetable.lanes.iter().map(|lane| {
            let slots = (1..).zip(lane).map(|(n_done, &entry)| {
                let node = &nodes.by_rank[entry.rank as usize];
                let first = waits.len() as u32;
                waits.extend_from_slice(timetable.waits(entry));
                LaneSlot {
                    rank: entry.rank,
                    is_guarded: node.is_guarded,
                    is_busy: !matches!(node.work, Work::Nothing),
                    // Of the last one, who has the lane tells when it lets go of it.
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
        };
        Self {
            shared: Arc::new(shared),
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
        let max_helpers = max_helpers.min(shared.lanes.len() as u32 - 1);
        // Here and below, nothing is written that does not change: helpers would have to fetch it again.
        // Relaxed: read for a guess.
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
            caller.ask();
            for lane in 0..shared.lanes.len() {
                if lane != OF_CALLER && shared.is_help_wanted() {
                    caller.ask();
                }
                caller.reach(lane, shared.lanes.n_after(lane, n_runs));
            }
        });
    }
}

/// A thread that takes part in a run.
struct LaneWorker<'a> {
    shared: &'a Arc<TimetableState>,
    role: Role,
    /// Where it asks for help, if not in the pool of this thread.
    pool: Option<&'a ThreadPool>,
}

impl LaneWorker<'_> {
    /// Sees to it that so many entries of a lane are completed: goes on with the lane, unless somebody else does.
    ///
    /// Returns whether it came to that; a helper does not wait for long.
    fn reach(&self, lane: usize, n_done: u64) -> bool {
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
                    Role::Helper => (since > TIRED).then_some(Err(())),
                    Role::Caller => {
                        nap(since);
                        None
                    }
                }
            });
            match claimed {
                Ok(None) => return true,
                Ok(Some(held)) => {
                    if !self.go_on(held, n_done) {
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

    /// Goes on with a lane until so many entries are completed, or somebody else has it. Where that waits for a lane that
    /// nobody is at, it goes on with that one first.
    ///
    /// Returns whether it is to go on; a helper does not wait for long.
    fn go_on(&self, mut held: Held, n_done: u64) -> bool {
        let lanes = &self.shared.lanes;
        loop {
            let lane = held.lane;
            match self.walk(&mut held, n_done) {
                Stop::There => {
                    lanes.release(held);
                    return true;
                }
                Stop::Tired => {
                    lanes.release(held);
                    return false;
                }
                Stop::For(wait) => {
                    let before = lanes.n_after(wait.lane as usize, held.n_runs - 1);
                    // Others may take this one meanwhile.
                    lanes.release(held);
                    self.ask();
                    let wanted = before + u64::from(wait.n_entries);
                    if !self.reach(wait.lane as usize, wanted) {
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

    /// Runs the entries of a lane up to so many, or until it has to wait.
    fn walk(&self, held: &mut Held, n_done: u64) -> Stop {
        let shared: &TimetableState = self.shared;
        // SAFETY: this thread has the lane, and entries of it are left. So it holds the next node of the lane, until it
        // releases the lane or has completed its last entry.
        let borrow_token = unsafe { shared.borrowed.borrow_token() };
        // SAFETY: the run does not end before the lane is at its end, and `run_context` is not used after that.
        let run_context = unsafe { borrow_token.run_context(&shared.outcomes) };
        loop {
            // To catch costs nothing until somebody panics, but hinders inlining: once around all of them.
            let result = catch_unwind(AssertUnwindSafe(|| {
                self.walk_on(held, n_done, borrow_token, run_context)
            }));
            match result {
                Ok(stop) => return stop,
                Err(payload) => {
                    let slot = shared.slot(held);
                    let cause = Cause::Panic(Panic::new(payload));
                    // SAFETY: the panic came from the next node of the lane, which this thread holds until it completes
                    // it below.
                    unsafe { borrow_token.fail(run_context, slot.rank, cause) };
                    shared.complete(held, slot);
                }
            }
        }
    }

    #[inline]
    fn walk_on(
        &self,
        held: &mut Held,
        n_done: u64,
        borrow_token: BorrowToken,
        run_context: RunContext<'_>,
    ) -> Stop {
        let shared: &TimetableState = self.shared;
        if held.n_done >= n_done {
            // Perhaps of a run that is over: the lane was let go of meanwhile.
            return Stop::There;
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
                if run_context.is_due(slot.rank, slot.is_guarded) {
                    // SAFETY: this thread has the lane, and the waits of the node are over. So it holds the node, and
                    // the node is due.
                    if let Err(cause) = unsafe { borrow_token.step(run_context, slot.rank) } {
                        // SAFETY: this thread holds the node until `complete` below.
                        unsafe { borrow_token.fail(run_context, slot.rank, cause) };
                    }
                }
            }
            shared.complete(held, *slot);
            if slot.is_awaited && shared.is_help_wanted() {
                self.ask();
            }
        }
        Stop::There
    }

    /// Waits for somebody who is at another lane. Returns why that was in vain.
    #[inline]
    fn wait(&self, held: &Held, wait: Wait) -> Option<Stop> {
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
                return Some(Some(Stop::For(wait)));
            }
            match self.role {
                Role::Helper => (since > TIRED).then_some(Some(Stop::Tired)),
                Role::Caller => {
                    nap(since);
                    None
                }
            }
        })
    }

    /// Asks for a helper, if there may be one more.
    fn ask(&self) {
        let max_helpers = self.shared.max_helpers.load(Ordering::Relaxed);
        if self.shared.lanes.try_ask(max_helpers) {
            let helped = Arc::<TimetableState>::clone(self.shared);
            call_for_help(self.role, self.pool, &self.shared.placement, helped, 0);
        }
    }
}

/// Lets a caller that has waited for this long sleep for a while. Helpers do not wake it when they are done: where systems
/// are short, that would cost more than it gains.
fn nap(since: Duration) {
    if since > LINGER {
        thread::park_timeout(LINGER);
    }
}

impl TimetableState {
    #[inline]
    fn slot(&self, held: &Held) -> LaneSlot {
        let before = self.lanes.n_after(held.lane, held.n_runs - 1);
        self.slots[held.lane][(held.n_done - before) as usize]
    }

    /// Whether there are fewer helpers than there may be, and something is left for one: some leave when they have waited
    /// for long.
    #[inline]
    fn is_help_wanted(&self) -> bool {
        let max_helpers = self.max_helpers.load(Ordering::Relaxed);
        self.lanes.has_fewer_helpers(max_helpers) && self.lanes.is_any_left()
    }

    #[inline]
    fn complete(&self, held: &mut Held, slot: LaneSlot) {
        held.n_done += 1;
        if slot.is_awaited {
            self.lanes.tell(held);
        }
    }

    /// What a helper does.
    fn take_part(self: &Arc<Self>) {
        self.placement.keep_apart();
        let helper = LaneWorker {
            shared: self,
            role: Role::Helper,
            pool: None,
        };
        occupied(|| {
            loop {
                while let Some(held) = self.find() {
                    helper.ask();
                    let end = self.lanes.n_after(held.lane, held.n_runs);
                    if !helper.go_on(held, end) {
                        // It is asked for again when others can go on.
                        self.lanes.leave();
                        return;
                    }
                }
                let is_needed = self.lanes.leave();
                if !is_needed || !self.lanes.try_ask(self.max_helpers.load(Ordering::Relaxed)) {
                    return;
                }
            }
        });
    }

    /// Looks for a lane for a while.
    fn find(&self) -> Option<Held> {
        idle(|since| {
            let mut others = OF_CALLER + 1..self.lanes.len();
            match others.find_map(|lane| self.lanes.claim(lane)) {
                None if since < STAY => None,
                found => Some(found),
            }
        })
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
        if self.lanes.is_any_left() && self.lanes.try_ask(max_helpers) {
            self.take_part();
        }
    }
}
