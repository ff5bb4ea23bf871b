//! Checks all interleavings of small runs by timetable, and that each memory ordering is needed.
//!
//! Threads behave as in such a run, but a helper gives up after [`POLLS_PER_CLOCK`] looks, and the caller never sleeps. Each
//! entry writes to a cell of the model checker. An unordered read of the cell is an error.

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread;

use super::{HeldLane, Lanes};
use crate::base::sync::model::weaken;

/// A lane, and the number of its entries that must be completed.
type Wait = (usize, u64);

/// A timetable, and how it is run.
#[derive(Clone, Copy, Debug)]
struct Case {
    /// By lane, then by entry: the waits of the entry.
    lanes: &'static [&'static [&'static [Wait]]],
    max_helpers: u32,
    n_runs: u64,
    /// The maximum number of preemptions, unless `LOOM_MAX_PREEMPTIONS` is set.
    n_preemptions: usize,
}

/// Each lane waits for the other.
const ACROSS: Case = Case {
    lanes: &[&[&[], &[(1, 1)]], &[&[], &[(0, 1)]]],
    max_helpers: 1,
    n_runs: 1,
    n_preemptions: 3,
};

/// Two runs. A helper of the first run may stay, leave and be requested again, or arrive in the second run.
const TWO_RUNS: Case = Case {
    lanes: &[&[&[]], &[&[(0, 1)]]],
    max_helpers: 1,
    n_runs: 2,
    n_preemptions: 3,
};

/// The caller waits for a lane whose helper has left or never arrived.
const BEHIND: Case = Case {
    lanes: &[&[&[(1, 1)]], &[&[]]],
    max_helpers: 1,
    n_runs: 2,
    n_preemptions: 3,
};

/// Two helpers, one of which waits for the other.
const CROWD: Case = Case {
    lanes: &[&[&[]], &[&[]], &[&[(1, 1)]]],
    max_helpers: 2,
    n_runs: 1,
    n_preemptions: 2,
};

const CASES: [Case; 4] = [ACROSS, TWO_RUNS, BEHIND, CROWD];

/// The number of looks before a helper gives up.
const POLLS_PER_CLOCK: u32 = 2;

#[derive(Clone, Copy, PartialEq)]
enum Role {
    Caller,
    Helper,
}

struct Shared {
    case: Case,
    lanes: Lanes,
    /// The number of runs that have begun, written before `begin`. It represents the data that a run borrows.
    begun: UnsafeCell<u64>,
    /// `runs[l][i]`: the number of executions of entry i of lane l.
    runs: Vec<Vec<UnsafeCell<u64>>>,
}

// The cells check the accesses of each entry.
#[expect(unsafe_code, reason = "the model checker watches the cells")]
// SAFETY: the model checker reports each access to a cell that is not ordered.
unsafe impl Sync for Shared {}

#[expect(unsafe_code, reason = "as above")]
// SAFETY: as for `Sync`.
unsafe impl Send for Shared {}

/// Returns the value of a cell.
fn read(cell: &UnsafeCell<u64>) -> u64 {
    cell.with(|value| {
        #[expect(unsafe_code, reason = "the model checker watches the cell")]
        // SAFETY: the model checker reports each access to the cell that is not ordered.
        unsafe {
            *value
        }
    })
}

/// Increments the value of a cell. Returns the new value.
fn count(cell: &UnsafeCell<u64>) -> u64 {
    cell.with_mut(|value| {
        #[expect(unsafe_code, reason = "the model checker watches the cell")]
        // SAFETY: the model checker reports each access to the cell that is not ordered.
        let value = unsafe { &mut *value };
        *value += 1;
        *value
    })
}

impl Shared {
    fn new(case: Case) -> Self {
        let lens = case.lanes.iter().map(|lane| lane.len());
        let cells = |len: usize| (0..len).map(|_| UnsafeCell::new(0)).collect();
        Self {
            case,
            lanes: Lanes::new(lens.clone()),
            begun: UnsafeCell::new(0),
            runs: lens.map(cells).collect(),
        }
    }

    /// The progress that another lane needs before an entry of this run may start.
    fn wanted(&self, held: &HeldLane, (lane, n_entries): Wait) -> u64 {
        self.lanes.n_after(lane, held.n_runs - 1) + n_entries
    }

    fn may_take(lane: usize, role: Role) -> bool {
        lane > 0 || role == Role::Caller
    }

    /// Takes a lane, and reads `begun` immediately: fences for other purposes would hide a missing ordering.
    fn claim(&self, lane: usize) -> Option<HeldLane> {
        let held = self.lanes.claim(lane)?;
        let begun = read(&self.begun);
        assert_eq!(begun, held.n_runs, "what is borrowed is of this run");
        Some(held)
    }

    /// Waits until `n_done` entries of a lane are completed, or runs them. Returns `false` if a helper gives up.
    fn reach(self: &Arc<Self>, role: Role, lane: usize, n_done: u64) -> bool {
        let mut n_looks = 0;
        while self.lanes.n_done(lane) < n_done {
            if Self::may_take(lane, role)
                && let Some(held) = self.claim(lane)
            {
                if !self.go_on(role, held, n_done) {
                    return false;
                }
                continue;
            }
            n_looks += 1;
            if role == Role::Helper && n_looks == POLLS_PER_CLOCK {
                return false;
            }
            thread::yield_now();
        }
        true
    }

    /// Returns `false` if a helper gives up.
    fn go_on(self: &Arc<Self>, role: Role, mut held: HeldLane, n_done: u64) -> bool {
        let lane = held.lane;
        while held.n_done < n_done {
            let idx = held.n_done - self.lanes.n_after(lane, held.n_runs - 1);
            for &wait in self.case.lanes[lane][idx as usize] {
                let wanted = self.wanted(&held, wait);
                let mut n_looks = 0;
                while self.lanes.n_done(wait.0) < wanted {
                    if Self::may_take(wait.0, role) && !self.lanes.is_held(wait.0) {
                        self.lanes.release(held);
                        self.call_helper();
                        if !self.reach(role, wait.0, wanted) {
                            return false;
                        }
                        return match self.claim(lane) {
                            Some(next) => self.go_on(role, next, n_done),
                            None => true,
                        };
                    }
                    n_looks += 1;
                    if role == Role::Helper && n_looks == POLLS_PER_CLOCK {
                        self.lanes.release(held);
                        return false;
                    }
                    thread::yield_now();
                }
                let cell = &self.runs[wait.0][wait.1 as usize - 1];
                assert_eq!(read(cell), held.n_runs, "it runs after what it waits for");
            }
            let n_runs = count(&self.runs[lane][idx as usize]);
            assert_eq!(n_runs, held.n_runs, "it runs once in each run");
            held.n_done += 1;
            if idx as usize + 1 < self.case.lanes[lane].len() {
                self.lanes.publish(&held);
            }
        }
        self.lanes.release(held);
        true
    }

    fn call_helper(self: &Arc<Self>) {
        if self.lanes.try_add_helper(self.case.max_helpers) {
            let shared = Arc::clone(self);
            thread::spawn(move || shared.help());
        }
    }

    fn help(self: &Arc<Self>) {
        loop {
            let find = || (1..self.lanes.len()).find_map(|lane| self.claim(lane));
            while let Some(held) = find() {
                self.call_helper();
                let end = self.lanes.n_after(held.lane, held.n_runs);
                if !self.go_on(Role::Helper, held, end) {
                    self.lanes.leave();
                    return;
                }
            }
            if !self.lanes.leave() || !self.lanes.try_add_helper(self.case.max_helpers) {
                return;
            }
        }
    }

    fn call(self: &Arc<Self>) {
        count(&self.begun);
        let n_runs = self.lanes.begin();
        self.call_helper();
        for lane in 0..self.lanes.len() {
            self.reach(Role::Caller, lane, self.lanes.n_after(lane, n_runs));
        }
        for cell in self.runs.iter().flatten() {
            assert_eq!(read(cell), n_runs, "the run is over");
        }
    }
}

impl Case {
    fn check(self) {
        let shared = Arc::new(Shared::new(self));
        for _ in 0..self.n_runs {
            shared.call();
        }
    }
}

/// A thread that begins and then asks, or a thread that leaves and then looks, sees the other.
fn nobody_is_missed() {
    let lanes = Arc::new(Lanes::new([0, 1].into_iter()));
    assert!(lanes.try_add_helper(1), "there is a helper");
    let other = Arc::clone(&lanes);
    let helper = thread::spawn(move || other.leave());
    lanes.begin();
    let has_asked = lanes.try_add_helper(1);
    assert!(helper.join().unwrap() || has_asked, "no thread helps");
}

/// The same for a thread that releases a lane and then asks.
fn no_lane_is_missed() {
    let lanes = Arc::new(Lanes::new([0, 1].into_iter()));
    lanes.begin();
    let held = lanes.claim(1).unwrap();
    assert!(lanes.try_add_helper(1), "there is a helper");
    let other = Arc::clone(&lanes);
    let helper = thread::spawn(move || other.leave());
    lanes.release(held);
    let has_asked = lanes.try_add_helper(1);
    assert!(helper.join().unwrap() || has_asked, "no thread helps");
}

/// Whether the model checker finds no error.
fn holds(n_preemptions: usize, check: impl Fn() + Sync + Send + 'static) -> bool {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(n_preemptions));
    // Uses a new thread for each check, so that state of a failed check does not affect the next one.
    std::thread::spawn(move || builder.check(check))
        .join()
        .is_ok()
}

#[test]
fn lanes_are_correct_in_all_interleavings_and_need_each_memory_ordering() {
    for case in CASES {
        assert!(holds(case.n_preemptions, move || case.check()), "{case:?}");
    }
    assert!(holds(3, nobody_is_missed));
    assert!(holds(3, no_lane_is_missed));
    for name in ["begin", "begun", "claim", "publish", "release", "see"] {
        weaken(Some(name));
        let is_caught = CASES
            .iter()
            .any(|&case| !holds(case.n_preemptions, move || case.check()));
        assert!(is_caught, "`{name}` is not needed");
    }
    for name in ["begin, call", "leave, look"] {
        weaken(Some(name));
        assert!(!holds(3, nobody_is_missed), "`{name}` is not needed");
        assert!(!holds(3, no_lane_is_missed), "`{name}` is not needed");
    }
    weaken(None);
}
