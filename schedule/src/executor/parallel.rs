//! Every node as soon as what it waits for is done, on the thread that calls and on those of a pool that help it.
//!
//! `README.md` beside this file tells how, and why it is right.
#![expect(
    unsafe_code,
    reason = "says of nodes that they were handed out to this thread"
)]

use core::hint::spin_loop;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use core::time::Duration;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crossbeam_utils::sync::{Parker, Unparker};
use rayon::ThreadPool;

use super::borrowed::Borrowed;
use super::occupation::Occupation;
use super::ready::{Ready, Released, Role};
use crate::failure::{Cause, FailurePolicy, Panic};
use crate::nodes::Nodes;
use crate::plan::{Plan, Precedence};
use crate::resource::Resources;

/// After this long without work, a thread offers its processor to others.
const SPIN: Duration = Duration::from_micros(2);
/// After this long without work, a thread lets its pool do something else here.
const KEEP_FROM_POOL: Duration = Duration::from_micros(5);
/// After this long without work, a helper leaves, and the caller sleeps.
const LINGER: Duration = Duration::from_micros(50);

/// What a schedule keeps to be run by several threads.
pub(crate) struct Parallel {
    shared: Arc<Shared>,
    parker: Parker,
}

/// What a helper knows. It outlives the run, and the schedule: a helper may come late.
struct Shared {
    ready: Ready,
    borrowed: Borrowed,
    /// `ranks[v]`: the rank of the node that `ready` calls v; len = n_nodes.
    ranks: Vec<u32>,
    /// How many threads may help at once.
    max_helpers: AtomicU32,
    has_failed: AtomicBool,
    is_stopped: AtomicBool,
    unparker: Unparker,
}

impl Parallel {
    /// For these nodes. O(nodes × edges / 64).
    pub(crate) fn new(nodes: &Nodes, plan: &Plan) -> Self {
        let nodes = &nodes.by_rank;
        let costs: Vec<u32> = nodes.iter().map(|node| node.is_system().into()).collect();
        let Precedence { ranks, edges } = plan.precedence(&costs);
        let is_bound = ranks.iter().map(|&rank| nodes[rank as usize].is_bound());
        let is_bound: Vec<bool> = is_bound.collect();
        let parker = Parker::new();
        let shared = Shared {
            ready: Ready::new(&edges, &is_bound),
            borrowed: Borrowed::nothing(),
            ranks,
            max_helpers: AtomicU32::new(0),
            has_failed: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
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
        pool: Option<&ThreadPool>,
        max_helpers: u32,
    ) {
        let shared = &*self.shared;
        // Relaxed, here and below: read by those who got a node of this run, or for a guess.
        shared.max_helpers.store(max_helpers, Ordering::Relaxed);
        // SAFETY: the run before this is over, since `self` is borrowed; this one is when `work` returns.
        unsafe { shared.borrowed.lend(nodes, plan, resources) };
        let mut caller = Worker {
            shared: &self.shared,
            role: Role::Caller,
            pool,
            n_done: 0,
        };
        Occupation::Working.during(|| {
            let roots = shared.ready.begin();
            let mut first = caller.follow(roots);
            loop {
                caller.work(first);
                first = self.wait(caller.n_done);
                if first.is_none() {
                    break;
                }
            }
        });
        nodes.has_failed = shared.has_failed.swap(false, Ordering::Relaxed);
        shared.is_stopped.store(false, Ordering::Relaxed);
    }

    /// Waits for a node to run; for the end of the run, if there is none.
    fn wait(&self, n_done: u32) -> Option<u32> {
        let ready = &self.shared.ready;
        let mut idle = Idle::begin();
        loop {
            if let Some(node) = ready.take(Role::Caller) {
                return Some(node);
            }
            if ready.is_over(n_done) {
                return None;
            }
            if idle.pause() < LINGER {
                continue;
            }
            if ready.may_sleep(n_done) {
                if rayon::current_thread_index().is_some() {
                    // What its pool is given to do meanwhile shall not wait for the run.
                    self.parker.park_timeout(LINGER);
                } else {
                    self.parker.park();
                }
            }
            ready.awake();
        }
    }
}

impl Shared {
    /// What a helper does.
    fn help(self: &Arc<Self>) {
        let occupation = Occupation::of_this_thread();
        if occupation == Occupation::Working {
            // Inside a system that waits for its pool: to help here would keep that system waiting.
            self.ready.leave();
            return;
        }
        let mut helper = Worker {
            shared: self,
            role: Role::Helper,
            pool: None,
            n_done: 0,
        };
        Occupation::Working.during(|| {
            let mut idle = Idle::begin();
            loop {
                if let Some(node) = self.ready.take(Role::Helper) {
                    // There may be more than it takes, and others to take it.
                    helper.ask();
                    helper.work(Some(node));
                    self.ready.count_done(helper.n_done);
                    helper.n_done = 0;
                    helper.wake();
                    idle = Idle::begin();
                } else if occupation == Occupation::Waiting || idle.pause() >= LINGER {
                    let is_needed = self.ready.leave();
                    if !is_needed || !self.ready.try_ask(self.max_helpers.load(Ordering::Relaxed)) {
                        break;
                    }
                }
            }
        });
    }
}

/// A thread that takes part in a run.
struct Worker<'a> {
    shared: &'a Arc<Shared>,
    role: Role,
    /// Where it asks for help, if not in the pool of this thread.
    pool: Option<&'a ThreadPool>,
    /// Nodes that it has completed, and not told of.
    n_done: u32,
}

impl Worker<'_> {
    /// Runs a node that was handed out to this thread, and others as long as there are any.
    fn work(&mut self, first: Option<u32>) {
        let mut in_hand = first;
        loop {
            // To catch costs nothing until somebody panics, but hinders inlining: once around all of them.
            let result = catch_unwind(AssertUnwindSafe(|| {
                while let Some(node) = in_hand {
                    let rank = self.shared.ranks[node as usize];
                    let is_stopped = self.shared.is_stopped.load(Ordering::Relaxed);
                    // SAFETY: the node was handed out to this thread.
                    let result = unsafe { self.shared.borrowed.run(rank, is_stopped) };
                    in_hand = self.complete(node, result);
                }
            }));
            let (Err(payload), Some(node)) = (result, in_hand) else {
                break;
            };
            in_hand = self.complete(node, Err(Cause::Panic(Panic::new(payload))));
        }
    }

    /// Completes a node that was handed out to this thread, and returns the next one.
    fn complete(&mut self, node: u32, result: Result<(), Cause>) -> Option<u32> {
        if let Err(cause) = result {
            let rank = self.shared.ranks[node as usize];
            // SAFETY: the node was handed out to this thread, and is not completed.
            let policy = unsafe { self.shared.borrowed.fail(rank, cause) };
            self.shared.has_failed.store(true, Ordering::Relaxed);
            if policy == FailurePolicy::Stop {
                self.shared.is_stopped.store(true, Ordering::Relaxed);
            }
        }
        let released = self.shared.ready.complete(self.role, node);
        self.n_done += 1;
        self.follow(released)
    }

    /// Tells others what there is for them, and returns the next node for this thread.
    fn follow(&self, released: Released) -> Option<u32> {
        if released.has_open {
            self.ask();
        }
        if released.has_put {
            self.wake();
        }
        let next = released.next;
        next.or_else(|| self.shared.ready.take(self.role))
    }

    /// Asks for a helper, if there may be one more.
    fn ask(&self) {
        let max_helpers = self.shared.max_helpers.load(Ordering::Relaxed);
        if self.shared.ready.try_ask(max_helpers) {
            let shared = Arc::clone(self.shared);
            let help = move || shared.help();
            match self.pool {
                Some(pool) => pool.spawn(help),
                None => rayon::spawn(help),
            }
        }
    }

    /// Wakes the caller, if this is a helper and the caller sleeps.
    fn wake(&self) {
        if self.role == Role::Helper && self.shared.ready.must_wake() {
            self.shared.unparker.unpark();
        }
    }
}

/// A time without work.
struct Idle {
    since: Instant,
}

impl Idle {
    fn begin() -> Self {
        Self {
            since: Instant::now(),
        }
    }

    /// Lets a moment pass, and returns how long it has been.
    fn pause(&mut self) -> Duration {
        let idle = self.since.elapsed();
        if idle < SPIN {
            spin_loop();
            return idle;
        }
        if idle > KEEP_FROM_POOL {
            Occupation::Waiting.during(rayon::yield_now);
        }
        thread::yield_now();
        idle
    }
}
