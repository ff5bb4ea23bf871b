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

use super::borrowed::{Borrowed, Loan};
use super::occupation::{is_occupied, occupied};
use super::ready::{Count, Found, Planned, Ready, Role, Seen};
use crate::failure::{Cause, FailurePolicy, Panic};
use crate::nodes::Nodes;
use crate::plan::{Plan, Precedence};
use crate::resource::Resources;

/// After this long without work, a thread offers its processor to others.
const SPIN: Duration = Duration::from_micros(2);
/// After this long without work, a helper leaves, and a caller lets its pool do something else. A helper that let its
/// pool do something else would count as one while it is not.
const KEEP_FROM_POOL: Duration = Duration::from_micros(5);
/// After this long without work, the caller sleeps.
const LINGER: Duration = Duration::from_micros(50);

/// In place of a rank: a node that does nothing. It conflicts with no other, not even an exclusive one, so a thread
/// that holds it touches nothing that is borrowed.
const NOTHING: u32 = u32::MAX;

/// What a schedule keeps to be run by several threads.
pub(crate) struct Parallel {
    shared: Arc<Shared>,
    parker: Parker,
}

/// What a helper knows. It outlives the run, and the schedule: a helper may come late.
struct Shared {
    ready: Ready,
    borrowed: Borrowed,
    /// `ranks[v]`: the rank of the node that `ready` calls v, or `NOTHING` for one that does nothing; len = n_nodes.
    ranks: Vec<u32>,
    /// How many threads may help at once.
    max_helpers: AtomicU32,
    has_failed: AtomicBool,
    is_stopped: AtomicBool,
    unparker: Unparker,
}

impl Parallel {
    /// For these nodes, if any two of them may run at once. O(nodes × edges / 64).
    pub(crate) fn new(nodes: &Nodes, plan: &Plan) -> Option<Self> {
        let nodes = &nodes.by_rank;
        let costs: Vec<u32> = nodes.iter().map(|node| node.is_system().into()).collect();
        let precedence = plan.precedence(&costs);
        if precedence.is_chain() {
            return None;
        }
        let Precedence { mut ranks, edges } = precedence;
        let is_bound = ranks.iter().map(|&rank| nodes[rank as usize].is_bound());
        let is_bound: Vec<bool> = is_bound.collect();
        for rank in &mut ranks {
            if nodes[*rank as usize].does_nothing() {
                *rank = NOTHING;
            }
        }
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
        Some(Self {
            shared: Arc::new(shared),
            parker,
        })
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
        // Here and below, nothing is written that does not change: helpers would have to fetch it again.
        // Relaxed: read by those who got a node of this run, or for a guess.
        if shared.max_helpers.load(Ordering::Relaxed) != max_helpers {
            shared.max_helpers.store(max_helpers, Ordering::Relaxed);
        }
        // SAFETY: the run before this is over, since `self` is borrowed; this one is when `work` returns.
        unsafe { shared.borrowed.lend(nodes, plan, resources) };
        let mut caller = Worker::new(&self.shared, Role::Caller, pool);
        occupied(|| {
            let (mut count, roots) = shared.ready.begin();
            let mut first = caller.follow(roots);
            while let Some(node) = first {
                count.n_own += caller.work(node);
                first = self.wait(&mut caller, &count);
            }
        });
        if shared.has_failed.load(Ordering::Relaxed) {
            nodes.has_failed = true;
            shared.has_failed.store(false, Ordering::Relaxed);
            shared.is_stopped.store(false, Ordering::Relaxed);
        }
    }

    /// Waits for a node to run; for the end of the run, if there is none.
    fn wait(&self, caller: &mut Worker<'_>, count: &Count) -> Option<u32> {
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
                    if rayon::current_thread_index().is_some() {
                        // What its pool is given to do meanwhile shall not wait for the run.
                        self.parker.park_timeout(LINGER);
                    } else {
                        self.parker.park();
                    }
                }
                ready.awake();
            }
            None
        })
    }
}

impl Shared {
    /// What a helper does.
    fn help(self: &Arc<Self>) {
        if is_occupied() {
            // In a system that waits for its pool, or in another run that waits: that shall not wait for this run.
            self.ready.leave();
            return;
        }
        let mut helper = Worker::new(self, Role::Helper, None);
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
    fn find(&self, helper: &mut Worker<'_>) -> Option<u32> {
        let mut seen = Seen::NOTHING;
        loop {
            self.ready.idle();
            let found = idle(|since| {
                let is_left = self.ready.is_left_lying(&mut seen);
                match is_left.then(|| helper.take()).flatten() {
                    None if since < KEEP_FROM_POOL => None,
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

/// A thread that takes part in a run.
struct Worker<'a> {
    shared: &'a Arc<Shared>,
    role: Role,
    /// Where it asks for help, if not in the pool of this thread.
    pool: Option<&'a ThreadPool>,
    planned: Planned,
}

impl<'a> Worker<'a> {
    fn new(shared: &'a Arc<Shared>, role: Role, pool: Option<&'a ThreadPool>) -> Self {
        Self {
            shared,
            role,
            pool,
            planned: Planned::EMPTY,
        }
    }

    /// Takes a node that nobody has.
    fn take(&mut self) -> Option<u32> {
        let taken = self.shared.ready.take(self.role, &mut self.planned);
        self.tell(taken);
        taken.next
    }

    /// Runs a node that was handed out to this thread, and others as long as there are any. Returns how many.
    fn work(&mut self, first: u32) -> u32 {
        // SAFETY: a node is handed out to this thread, and then the next one, until it has none.
        let loan = unsafe { self.shared.borrowed.loan() };
        let mut node = Some(first);
        let mut n_done = 0;
        loop {
            // To catch costs nothing until somebody panics, but hinders inlining: once around all of them.
            let result = catch_unwind(AssertUnwindSafe(|| {
                while let Some(one) = node {
                    let rank = self.shared.ranks[one as usize];
                    if rank != NOTHING {
                        let is_stopped = self.shared.is_stopped.load(Ordering::Relaxed);
                        // SAFETY: the node was handed out to this thread.
                        if let Err(cause) = unsafe { loan.run(rank, is_stopped) } {
                            self.fail(loan, rank, cause);
                        }
                    }
                    node = self.complete(one);
                    n_done += 1;
                }
            }));
            let (Err(payload), Some(one)) = (result, node) else {
                return n_done;
            };
            let rank = self.shared.ranks[one as usize];
            self.fail(loan, rank, Cause::Panic(Panic::new(payload)));
            node = self.complete(one);
            n_done += 1;
        }
    }

    /// Notes that a node has failed that was handed out to this thread, and is not completed.
    #[cold]
    fn fail(&self, loan: Loan, rank: u32, cause: Cause) {
        // SAFETY: as said.
        let policy = unsafe { loan.fail(rank, cause) };
        self.shared.has_failed.store(true, Ordering::Relaxed);
        if policy == FailurePolicy::Stop {
            self.shared.is_stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Completes a node that was handed out to this thread, and returns the next one.
    fn complete(&mut self, node: u32) -> Option<u32> {
        let found = self.shared.ready.complete(self.role, node);
        self.follow(found)
    }

    /// The next node for this thread.
    fn follow(&mut self, found: Found) -> Option<u32> {
        self.tell(found);
        found.next.or_else(|| self.take())
    }

    /// Tells others that there is something for them, if there is.
    fn tell(&self, found: Found) {
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

/// Looks until something is found, and lets a moment pass in between; `look` is told how long it has been.
fn idle<T>(mut look: impl FnMut(Duration) -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        let since = start.elapsed();
        if let Some(found) = look(since) {
            return found;
        }
        if since < SPIN {
            spin_loop();
            continue;
        }
        if since > KEEP_FROM_POOL {
            rayon::yield_now();
        }
        thread::yield_now();
    }
}
