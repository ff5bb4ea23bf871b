//! Every node as soon as what it waits for is done, on the thread that calls and on those of a pool that help it.
//!
//! `README.md` beside this file tells how, and why it is right.
#![expect(
    unsafe_code,
    reason = "says of nodes that they were handed out to this thread"
)]

use core::hint::spin_loop;
use core::panic::AssertUnwindSafe;
use core::sync::atomic::{AtomicU32, Ordering};
use core::time::Duration;
use std::collections::HashMap;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use crossbeam_utils::sync::{Parker, Unparker};
use rayon::ThreadPool;

use super::borrowed::{Borrowed, Loan};
use super::occupation::{is_occupied, occupied};
use super::ready::{Count, Found, Planned, Ready, Role, Seen};
use super::step::{Course, How};
use crate::batch::{self, Batches};
use crate::failure::{Cause, Panic};
use crate::node::Work;
use crate::nodes::Nodes;
use crate::outcome::Outcomes;
use crate::plan::Plan;
use crate::resource::Resources;

/// After this long without work, a thread offers its processor to others.
const SPIN: Duration = Duration::from_micros(2);
/// After this long without work, a caller lets its pool do something else. A helper never does: it would count as one
/// while it is not.
const KEEP_FROM_POOL: Duration = Duration::from_micros(5);
/// After this long without work, a helper leaves. To come back costs about as much, but its pool may have other work for
/// it: what a system splits with rayon.
const STAY: Duration = Duration::from_micros(20);
/// After this long without work, the caller sleeps.
const LINGER: Duration = Duration::from_micros(50);

/// What [`Ready`] hands out as one node.
#[derive(Clone, Copy, Debug)]
struct Slot {
    kind: Kind,
    /// It is outside of all loops, and no begin of one: the run is over when all of these are completed.
    is_counted: bool,
}

/// What a slot is to a thread that holds it.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// It runs these of [`Shared::members`], one after the other. Nothing, if it holds checkpoints only: those conflict
    /// with no other node, not even an exclusive one, so a thread that holds them touches nothing that is borrowed.
    Batch { first: u32, end: u32 },
    /// It begins the loop of this index in [`Shared::loops`].
    Begin(u32),
    /// It ends that loop.
    End(u32),
}

/// A node that runs something, as far as threads need to know it before they touch it.
#[derive(Clone, Copy, Debug)]
struct Member {
    rank: u32,
    is_guarded: bool,
}

/// What a thread holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    slot: u32,
    /// How many members of a batch it has begun.
    n_begun: u32,
}

impl Held {
    fn new(slot: u32) -> Self {
        Self { slot, n_begun: 0 }
    }
}

/// A loop, as `ready` and as the plan call it.
#[derive(Debug)]
struct Loop {
    /// To complete this one releases the parts.
    begin: u32,
    /// To complete this one releases what comes after the loop. It is handed out when the parts are completed; if the
    /// loop asks at the begin already and is told no, it is completed instead of that.
    end: u32,
    begin_rank: u32,
    is_guarded: bool,
    /// The ranks of the parts that record commands.
    recorders: Box<[u32]>,
}

/// What a schedule keeps to be run by several threads.
pub(crate) struct Parallel {
    shared: Arc<Shared>,
    parker: Parker,
}

/// What a helper knows. It outlives the run, and the schedule: a helper may come late.
struct Shared {
    ready: Ready,
    borrowed: Borrowed,
    /// `slots[v]`: what `ready` calls v.
    slots: Vec<Slot>,
    members: Vec<Member>,
    loops: Vec<Loop>,
    outcomes: Arc<Outcomes>,
    /// How many threads may help at once.
    max_helpers: AtomicU32,
    unparker: Unparker,
}

impl Parallel {
    /// For these nodes in batches, if any two of those may run at once. O(batches + edges).
    pub(crate) fn new(nodes: &Nodes, plan: &Plan, batches: &Batches) -> Option<Self> {
        if batches.is_chain() {
            return None;
        }
        let by_rank = &nodes.by_rank;
        let mut number_of = vec![0; by_rank.len()];
        for (number, ranks) in (0..).zip(batches.iter()) {
            for &rank in ranks {
                number_of[rank as usize] = number;
            }
        }
        let loops = plan.loops.iter().map(|one| Loop {
            begin: number_of[one.begin as usize],
            end: number_of[one.end as usize],
            begin_rank: one.begin,
            is_guarded: by_rank[one.begin as usize].is_guarded,
            recorders: nodes.recorders_in(*one).into(),
        });
        let loop_at: HashMap<u32, u32> = plan.loops.iter().map(|one| one.begin).zip(0..).collect();
        let mut members: Vec<Member> = Vec::new();
        let slots = batches.iter().map(|ranks| {
            let first = members.len() as u32;
            let mut kind = None;
            for &rank in ranks {
                let node = &by_rank[rank as usize];
                match node.work {
                    Work::Nothing => {}
                    Work::System(_) | Work::Flush => members.push(Member {
                        rank,
                        is_guarded: node.is_guarded,
                    }),
                    Work::Loop(_) => kind = Some(Kind::Begin(loop_at[&rank])),
                    Work::LoopEnd(begin) => kind = Some(Kind::End(loop_at[&begin])),
                }
            }
            let end = members.len() as u32;
            let kind = kind.unwrap_or(Kind::Batch { first, end });
            Slot {
                kind,
                is_counted: plan.around(ranks[0]).is_none() && !matches!(kind, Kind::Begin(_)),
            }
        });
        let slots: Vec<Slot> = slots.collect();
        // The end of a loop asks its condition again.
        let is_bound = |rank: u32| match by_rank[rank as usize].work {
            Work::LoopEnd(begin) => by_rank[begin as usize].is_bound(),
            _ => by_rank[rank as usize].is_bound(),
        };
        let is_bound = batches.iter().map(|ranks| is_bound(ranks[0]));
        let is_bound: Vec<bool> = is_bound.collect();
        let n_counted = slots.iter().filter(|slot| slot.is_counted).count();
        let parker = Parker::new();
        let shared = Shared {
            ready: Ready::new(&batches.edges, &is_bound, n_counted as u32),
            borrowed: Borrowed::nothing(),
            slots,
            members,
            loops: loops.collect(),
            outcomes: Arc::clone(&nodes.outcomes),
            max_helpers: AtomicU32::new(0),
            unparker: parker.unparker().clone(),
        };
        Some(Self {
            shared: Arc::new(shared),
            parker,
        })
    }

    /// The batches that Auto makes are of nodes of one kind: of one loop, and all bound or none.
    pub(crate) fn kind(nodes: &Nodes, plan: &Plan, rank: u32) -> batch::Kind {
        let node = &nodes.by_rank[rank as usize];
        match node.work {
            Work::Loop(_) | Work::LoopEnd(_) => batch::Kind::Alone,
            _ if node.is_exclusive => batch::Kind::Alone,
            _ => {
                let around = plan.around(rank).map_or(0, |around| around as u64 + 1);
                batch::Kind::With(2 * around + u64::from(node.is_bound()))
            }
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
        let mut caller = Worker::new(&self.shared, Role::Caller, pool);
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
    fn wait(&self, caller: &mut Worker<'_>, count: &Count) -> Option<u32> {
        let ready = &self.shared.ready;
        if ready.is_over(count) {
            return None;
        }
        idle(|since| {
            if since > KEEP_FROM_POOL {
                rayon::yield_now();
            }
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
    /// Runs what was handed out to this thread. Returns which slot is to be completed for it: of a loop the begin, if its
    /// parts are to run, and else the end.
    #[inline]
    fn run(&self, loan: Loan, course: Course<'_>, held: &mut Held) -> u32 {
        let slot = held.slot;
        match self.slots[slot as usize].kind {
            Kind::Batch { first, end } => {
                let members = &self.members[first as usize..end as usize];
                while let Some(&member) = members.get(held.n_begun as usize) {
                    held.n_begun += 1;
                    if course.is_due(member.rank, member.is_guarded) {
                        // SAFETY: the batch was handed out to this thread.
                        if let Err(cause) = unsafe { loan.step(course, member.rank) } {
                            self.fail(loan, course, *held, cause);
                        }
                    }
                }
                slot
            }
            Kind::Begin(one) => {
                let about = &self.loops[one as usize];
                let is_due = course.is_due(about.begin_rank, about.is_guarded);
                self.ask(loan, course, *held, about, is_due, false)
            }
            Kind::End(one) => {
                let about = &self.loops[one as usize];
                if !about.recorders.is_empty() {
                    // SAFETY: the end of the loop was handed out to this thread.
                    unsafe { loan.gather(course, about.begin_rank, &about.recorders) };
                }
                let goes_on = course.goes_on(about.begin_rank);
                self.ask(loan, course, *held, about, goes_on, true)
            }
        }
    }

    /// Asks whether the parts of a loop are to run, if it may ask.
    fn ask(
        &self,
        loan: Loan,
        course: Course<'_>,
        held: Held,
        one: &Loop,
        may_ask: bool,
        is_again: bool,
    ) -> u32 {
        if !may_ask {
            return one.end;
        }
        // SAFETY: the begin or the end of the loop was handed out to this thread.
        match unsafe { loan.ask(course, one.begin_rank, is_again) } {
            Ok(true) => one.begin,
            Ok(false) => one.end,
            Err(cause) => {
                self.fail(loan, course, held, cause);
                one.end
            }
        }
    }

    /// Notes that what this thread runs has failed.
    #[cold]
    fn fail(&self, loan: Loan, course: Course<'_>, held: Held, cause: Cause) {
        let rank = match self.slots[held.slot as usize].kind {
            Kind::Batch { first, .. } => self.members[(first + held.n_begun - 1) as usize].rank,
            Kind::Begin(one) | Kind::End(one) => self.loops[one as usize].begin_rank,
        };
        // SAFETY: the node was handed out to this thread.
        unsafe { loan.fail(course, rank, cause) };
    }

    /// After a panic: what is to be completed, if nothing is left to run of what this thread holds.
    #[cold]
    fn after_panic(&self, held: Held) -> Option<u32> {
        match self.slots[held.slot as usize].kind {
            Kind::Batch { .. } => None,
            Kind::Begin(one) | Kind::End(one) => Some(self.loops[one as usize].end),
        }
    }

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

    /// Runs a node that was handed out to this thread, and others as long as there are any. Returns how many of those
    /// that are counted it has completed.
    fn work(&mut self, first: u32) -> u32 {
        let shared: &Shared = self.shared;
        // SAFETY: a node is handed out to this thread, and then the next one, until it has none.
        let loan = unsafe { shared.borrowed.loan() };
        // SAFETY: as above.
        let course = unsafe { loan.course(&shared.outcomes) };
        let mut held = Some(Held::new(first));
        let mut n_done = 0;
        loop {
            // To catch costs nothing until somebody panics, but hinders inlining: once around all of them.
            let result = catch_unwind(AssertUnwindSafe(|| {
                while let Some(one) = &mut held {
                    let done = shared.run(loan, course, one);
                    held = self.complete(done).map(Held::new);
                    n_done += u32::from(shared.slots[done as usize].is_counted);
                }
            }));
            let (Err(payload), Some(one)) = (result, held) else {
                return n_done;
            };
            shared.fail(loan, course, one, Cause::Panic(Panic::new(payload)));
            if let Some(done) = shared.after_panic(one) {
                held = self.complete(done).map(Held::new);
                n_done += u32::from(shared.slots[done as usize].is_counted);
            }
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
        thread::yield_now();
    }
}
