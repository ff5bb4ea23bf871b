//! Checks all interleavings of small runs, and that each memory ordering is needed.
//!
//! Threads behave as in a parallel run, but sleep instead of polling. Each node writes to a cell of the model checker.
//! An unordered read of the cell is an error, and so is a caller that parks forever.

use std::sync::Arc;

use loom::cell::UnsafeCell;
use loom::thread::{self, Thread};

use super::{HandedOut, PlannedNodes, Ready, Role};
use crate::base::sync::model::{set_summaries, weaken};
use crate::base::sync::{AtomicBool, Ordering, model_fence};
use crate::run::executor::bits::{SharedBits, WordBits};
use schedule_graph::Edge;

/// A graph, and how it is run.
#[derive(Clone, Copy)]
struct Case {
    edges: &'static [(u32, u32)],
    is_bound: &'static [bool],
    max_helpers: u32,
    n_runs: u32,
    /// The begin and the end of a loop. The nodes between them are its body.
    repeat: Option<(u32, u32)>,
    /// A node that helpers hand over to the caller.
    handed_over: Option<u32>,
    /// The maximum number of preemptions, unless `LOOM_MAX_PREEMPTIONS` is set.
    n_preemptions: usize,
}

/// One node before two before one.
const DIAMOND: Case = Case {
    edges: &[(0, 1), (0, 2), (1, 3), (2, 3)],
    is_bound: &[false; 4],
    max_helpers: 1,
    n_runs: 1,
    repeat: None,
    handed_over: None,
    n_preemptions: 3,
};

/// Two predecessors of one node, in two runs: the counters must be reset.
const TWO_RUNS: Case = Case {
    edges: &[(0, 2), (1, 2)],
    is_bound: &[false; 3],
    max_helpers: 1,
    n_runs: 2,
    repeat: None,
    handed_over: None,
    n_preemptions: 3,
};

/// A helper releases a bound node, while the caller may be parked.
const BOUND: Case = Case {
    edges: &[(1, 2)],
    is_bound: &[false, false, true],
    max_helpers: 1,
    n_runs: 1,
    repeat: None,
    handed_over: None,
    n_preemptions: 3,
};

/// A helper that completes the last predecessor of a node hands the node over to the caller, which may be parked.
const HANDED_OVER: Case = Case {
    edges: &[(0, 2), (1, 2), (2, 3)],
    is_bound: &[false; 4],
    max_helpers: 1,
    n_runs: 1,
    repeat: None,
    handed_over: Some(2),
    n_preemptions: 3,
};

/// Two helpers.
const CROWD: Case = Case {
    edges: &[],
    is_bound: &[false; 3],
    max_helpers: 2,
    n_runs: 1,
    repeat: None,
    handed_over: None,
    n_preemptions: 2,
};

/// Enough ready nodes that threads plan several, and other threads take planned ones.
const PLANNED: Case = Case {
    edges: &[],
    is_bound: &[false; 4],
    max_helpers: 1,
    n_runs: 1,
    repeat: None,
    handed_over: None,
    n_preemptions: 3,
};

/// A loop with two nodes in its body and two iterations, and a node after it.
const LOOP: Case = Case {
    edges: &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)],
    is_bound: &[false; 5],
    max_helpers: 1,
    n_runs: 1,
    repeat: Some((0, 3)),
    handed_over: None,
    n_preemptions: 2,
};

/// The number of iterations of the loop.
const N_ITERATIONS: u32 = 2;

const CASES: [Case; 7] = [DIAMOND, TWO_RUNS, BOUND, HANDED_OVER, PLANNED, LOOP, CROWD];

struct Shared {
    case: Case,
    ready: Ready,
    /// `runs[v]`: the number of executions of node v.
    runs: Vec<UnsafeCell<u32>>,
    caller: Thread,
}

// The cells check the accesses of each node.
#[expect(unsafe_code, reason = "the model checker watches the cells")]
// SAFETY: the model checker reports each access to a cell that is not ordered.
unsafe impl Sync for Shared {}

#[expect(unsafe_code, reason = "as above")]
// SAFETY: as for `Sync`.
unsafe impl Send for Shared {}

impl Shared {
    /// Executes a node. Returns the node to complete.
    fn run(&self, node: u32) -> u32 {
        if let Some((begin, end)) = self.case.repeat {
            if node == begin || node == end {
                // Each evaluation of the condition counts.
                let n_asked = self.count(begin);
                return if n_asked <= N_ITERATIONS { begin } else { end };
            }
            if (begin..end).contains(&node) {
                let n = self.count(node);
                assert_eq!(self.n_runs(begin), n, "{node} runs once in each iteration");
            } else {
                self.count(node);
                for inner in begin + 1..end {
                    assert_eq!(
                        self.n_runs(inner),
                        N_ITERATIONS,
                        "{inner} runs before {node}"
                    );
                }
            }
            return node;
        }
        let n = self.count(node);
        let before = self.case.edges.iter().filter(|edge| edge.1 == node);
        for &(before, _) in before {
            assert_eq!(self.n_runs(before), n, "{before} runs before {node}");
        }
        node
    }

    fn count(&self, node: u32) -> u32 {
        self.runs[node as usize].with_mut(|runs| {
            #[expect(unsafe_code, reason = "the model checker watches the cell")]
            // SAFETY: the model checker reports each access to the cell that is not ordered.
            let runs = unsafe { &mut *runs };
            *runs += 1;
            *runs
        })
    }

    fn is_counted(&self, node: u32) -> bool {
        let mut repeat = self.case.repeat.iter();
        repeat.all(|&(begin, end)| !(begin..end).contains(&node))
    }

    fn n_runs(&self, node: u32) -> u32 {
        self.runs[node as usize].with(|runs| {
            #[expect(unsafe_code, reason = "the model checker watches the cell")]
            // SAFETY: the model checker reports each access to the cell that is not ordered.
            unsafe {
                *runs
            }
        })
    }

    fn follow(
        self: &Arc<Self>,
        role: Role,
        found: HandedOut,
        planned: &mut PlannedNodes,
    ) -> Option<u32> {
        self.request_help_and_wake(role, found);
        found.next.or_else(|| self.take(role, planned))
    }

    fn take(self: &Arc<Self>, role: Role, planned: &mut PlannedNodes) -> Option<u32> {
        let taken = self.ready.take(role, planned);
        self.request_help_and_wake(role, taken);
        taken.next
    }

    fn request_help_and_wake(self: &Arc<Self>, role: Role, found: HandedOut) {
        if found.has_open {
            self.call_helper();
        }
        if found.has_put {
            self.wake(role);
        }
    }

    fn work(self: &Arc<Self>, role: Role, first: u32, planned: &mut PlannedNodes) -> u32 {
        let mut n_done = 0;
        let mut in_hand = Some(first);
        while let Some(node) = in_hand {
            if role == Role::Helper && self.case.handed_over == Some(node) {
                in_hand = self.follow(role, self.ready.hand_over(node), planned);
                continue;
            }
            let done = self.run(node);
            let found = self.ready.complete(role, done);
            n_done += u32::from(self.is_counted(done));
            in_hand = self.follow(role, found, planned);
        }
        n_done
    }

    fn call_helper(self: &Arc<Self>) {
        if self.ready.try_add_helper(self.case.max_helpers) {
            let shared = Arc::clone(self);
            thread::spawn(move || shared.help());
        }
    }

    fn wake(&self, role: Role) {
        if role == Role::Helper && self.ready.must_wake() {
            self.caller.unpark();
        }
    }

    fn help(self: &Arc<Self>) {
        let mut planned = PlannedNodes::EMPTY;
        loop {
            self.ready.idle();
            let node = self.take(Role::Helper, &mut planned);
            self.ready.busy();
            if let Some(node) = node {
                if self.ready.has_open() {
                    self.call_helper();
                }
                let n_done = self.work(Role::Helper, node, &mut planned);
                self.ready.count_done(n_done);
                self.wake(Role::Helper);
            } else if !self.ready.leave() || !self.ready.try_add_helper(self.case.max_helpers) {
                break;
            } else {
                thread::yield_now();
            }
        }
    }

    fn call(self: &Arc<Self>) {
        let mut planned = PlannedNodes::EMPTY;
        let (mut count, roots) = self.ready.begin();
        let mut first = self.follow(Role::Caller, roots, &mut planned);
        loop {
            if let Some(node) = first {
                count.n_own += self.work(Role::Caller, node, &mut planned);
            }
            first = self.take(Role::Caller, &mut planned);
            if first.is_some() {
                continue;
            }
            if self.ready.is_over(&count) {
                break;
            }
            if self.ready.may_sleep(&count) {
                assert!(!self.ready.is_stuck(&count), "nodes are left pending");
                thread::park();
            } else {
                // Another thread is about to put or count a node.
                thread::yield_now();
            }
            self.ready.awake();
        }
    }
}

impl Case {
    fn check(self) {
        let edges = self.edges.iter().map(|&(from, to)| Edge { from, to });
        let edges: Vec<Edge> = edges.collect();
        let n_in_loop = self.repeat.map_or(0, |(begin, end)| end - begin);
        let n_counted = self.is_bound.len() as u32 - n_in_loop;
        let shared = Arc::new(Shared {
            case: self,
            ready: Ready::new(&edges, self.is_bound, self.handed_over.is_some(), n_counted),
            runs: self.is_bound.iter().map(|_| UnsafeCell::new(0)).collect(),
            caller: thread::current(),
        });
        for run in 1..=self.n_runs {
            shared.call();
            let in_loop = self.repeat.map_or(0..0, |(begin, end)| begin..end + 1);
            let nodes = 0..self.is_bound.len() as u32;
            for node in nodes.filter(|node| !in_loop.contains(node)) {
                assert_eq!(shared.n_runs(node), run, "{node} ran once in each run");
            }
        }
    }
}

/// A thread that puts and then asks, or a thread that leaves and then looks, sees the other.
fn nobody_is_missed() {
    let ready = Arc::new(Ready::new(&[], &[false; 2], false, 2));
    assert!(ready.try_add_helper(2), "there is a helper");
    ready.idle();
    let other = Arc::clone(&ready);
    let helper = thread::spawn(move || {
        other.busy();
        other.leave()
    });
    assert!(ready.begin().1.has_open);
    let has_asked = ready.try_add_helper(2);
    assert!(helper.join().unwrap() || has_asked, "no thread helps");
}

/// A number that is put while another thread takes is found later.
fn nothing_is_lost() {
    let bits = Arc::new(SharedBits::new(2));
    bits.put(WordBits::one(0));
    let other = Arc::clone(&bits);
    let taker = thread::spawn(move || {
        let mut n_taken = 0;
        for _ in 0..2 {
            n_taken += u32::from(other.take(u32::MAX).pop().is_some());
        }
        n_taken
    });
    bits.put(WordBits::one(1));
    let mut n_taken = taker.join().unwrap();
    while bits.take(u32::MAX).pop().is_some() {
        n_taken += 1;
    }
    assert_eq!(n_taken, 2);
}

/// A thread does not sleep while the set has a number, even if another thread takes at the same time.
fn nobody_sleeps_through() {
    let bits = Arc::new(SharedBits::new(2));
    bits.put(WordBits::one(0));
    assert!(bits.take(u32::MAX).pop().is_some(), "the summary is stale");
    let is_asleep = Arc::new(AtomicBool::new(false));

    let taker = {
        let bits = Arc::clone(&bits);
        thread::spawn(move || bits.take(u32::MAX).pop())
    };
    let giver = {
        let (bits, is_asleep) = (Arc::clone(&bits), Arc::clone(&is_asleep));
        thread::spawn(move || {
            // One number more than the other thread takes.
            bits.put(WordBits { word: 0, bits: 3 });
            model_fence("put, wake");
            is_asleep.load(Ordering::SeqCst)
        })
    };
    is_asleep.swap(true, Ordering::SeqCst);
    model_fence("sleep, look");
    let sleeps = bits.is_empty();
    taker.join().unwrap();
    let wakes = giver.join().unwrap();
    assert!(wakes || !sleeps, "it sleeps, and no thread wakes it");
}

/// Whether the model checker finds no error.
fn holds(check: impl Fn() + Sync + Send + 'static) -> bool {
    holds_within(3, check)
}

fn holds_within(n_preemptions: usize, check: impl Fn() + Sync + Send + 'static) -> bool {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(n_preemptions));
    // Uses a new thread for each check, so that state of a failed check does not affect the next one.
    std::thread::spawn(move || builder.check(check))
        .join()
        .is_ok()
}

#[test]
fn ready_queue_is_correct_in_all_interleavings_and_needs_each_memory_ordering() {
    for has_summaries in [false, true] {
        set_summaries(has_summaries);
        weaken(None);
        for case in CASES {
            assert!(
                holds_within(case.n_preemptions, move || case.check()),
                "{:?}",
                case.edges
            );
        }
        assert!(holds(nobody_is_missed));
        assert!(holds(nobody_sleeps_through));
    }

    let of_runs = [
        "put",
        "take",
        "count",
        "done",
        "over",
        "sleep, look",
        "put, wake",
    ];
    set_summaries(false);
    for name in of_runs {
        weaken(Some(name));
        let is_caught = CASES
            .iter()
            .any(|&case| !holds_within(case.n_preemptions, move || case.check()));
        assert!(is_caught, "`{name}` is not needed");
    }
    for name in ["put, call", "leave, look"] {
        weaken(Some(name));
        assert!(!holds(nobody_is_missed), "`{name}` is not needed");
    }
    set_summaries(true);
    for name in ["put, summary", "clear, word"] {
        weaken(Some(name));
        assert!(!holds(nothing_is_lost), "`{name}` is not needed");
    }
    weaken(None);
    assert!(holds(nothing_is_lost));
}
