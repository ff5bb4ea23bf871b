//! Repeated runs allocate nothing, on any executor, whether systems fail or not.
//!
//! Allocations by requests for help are excluded, because rayon boxes each job. So the threads of the pools are busy, and the caller makes
//! one request and then executes all systems itself.

use std::error::Error;
use std::fmt;
use std::hint::black_box;
use std::panic::{catch_unwind, set_hook, take_hook};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::fold::{Accumulators, Sum};
use schedule::order::NodeId;
use schedule::prelude::*;
use schedule::{Executor, Target};
use schedule_hecs::prelude::*;
use schedule_tests::child::Child;

/// A busy machine must not fail a test.
const LIMIT: Duration = Duration::from_secs(600);

const N_RUNS: u32 = 500;

#[derive(Resource)]
struct Health(u32);

#[derive(Resource)]
struct Armour(u32);

#[derive(Resource)]
struct Steps(u32);

#[derive(Resource)]
struct Camera;

#[derive(Component)]
struct Window(u32);

/// Has no size, so boxing it does not allocate.
#[derive(Debug)]
struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("broken")
    }
}

impl Error for Broken {}

#[derive(Group)]
struct Late;

#[derive(Group)]
struct Later;

/// A fold whose partial results are on the heap would allocate itself.
#[derive(Resource)]
struct Total(u64);

impl Foldable for Total {
    type Partial = u64;

    fn join(&mut self, partial: u64) {
        self.0 += partial;
    }
}

/// The same, with an accumulator for each thread.
#[derive(Resource)]
struct Ages(u64);

impl Foldable for Ages {
    type Partial = Sum<u64>;
    const ACCUMULATORS: Accumulators<Sum<u64>> = Accumulators::per_thread();

    fn join(&mut self, partial: Sum<u64>) {
        self.0 += partial.into_inner();
    }
}

fn is_broken(armour: &Armour, mut total: Fold<Total>) -> Result<(), Broken> {
    *total += 1;
    if armour.0 > 0 { Err(Broken) } else { Ok(()) }
}

#[system(in = Later)]
fn after_all(health: &mut Health) {
    health.0 += 1;
}

#[derive(Component)]
struct Age(u32);

#[derive(Component)]
struct Frozen;

#[system(for_each, without = Frozen)]
fn grow_older(age: &mut Age, entity: Entity, #[resource] armour: &Armour, _: Commands) {
    age.0 += black_box(entity).id() + armour.0;
}

/// Its entities are in four blocks.
#[system(for_each, after = grow_older)]
fn add_up(age: &Age, mut total: Fold<Total>, mut ages: Fold<Ages>) {
    *total += u64::from(age.0);
    *ages += u64::from(age.0);
}

#[system]
fn is_hurt(health: &Health) -> bool {
    health.0 == u32::MAX
}

/// Returns a schedule with systems that can run at the same time and systems that cannot, a condition, a loop, and commands without a
/// record. `busy`: the duration of each system that can run in parallel, in rounds.
fn schedule(busy: u32) -> (Schedule, NodeId) {
    let mut builder = Schedule::builder();
    for nth in 0..6 {
        builder.add_closure(format!("free_{nth}"), move |armour: &Armour| {
            (0..busy).for_each(|round| {
                black_box(round + armour.0);
            });
        });
    }
    builder.add_closure("first", |health: &mut Health| health.0 = 1);
    builder
        .add_closure("may_fail", is_broken)
        .in_group::<Late>();
    builder.add_closure("may_panic", |armour: &Armour, health: &mut Health| {
        assert!(armour.0 < 2, "a literal");
        health.0 += 1;
    });
    builder.order("first", "may_panic");
    for (before, after) in [("may_fail", "second"), ("second", "third")] {
        builder.add_closure(after, |armour: &Armour, mut own: Local<u32>| {
            *own += armour.0
        });
        builder.order(before, after);
    }
    let third = builder.last().expect("it was added");
    builder
        .add_closure("watch", |mut own: Local<u32>| *own += 1)
        .always();
    builder.order("third", "watch");
    builder
        .add_closure("film", |_: &Camera| ())
        .skip_if_missing()
        .add_closure("send", || ())
        .order("film", "send");
    builder.add_closure("draw", |mut window: NonSendMut<Window>, _: Commands| {
        window.0 += 1;
    });
    builder.add_closure("refill", |steps: &mut Steps| steps.0 = 3);
    builder.repeat_while_closure(
        "is_step_due",
        |steps: &Steps| steps.0 > 0,
        |step| step.add_closure("step", |steps: &mut Steps, _: Commands| steps.0 -= 1),
    );
    builder.order("refill", "is_step_due");
    builder
        .policy_for::<Total>(Policy::InsertionOrder)
        .add_closure("add_one", |mut total: Fold<Total>| *total += 1)
        .add::<add_up>()
        .add_closure("show_total", |total: &mut Total| {
            assert!(black_box(total.0) > 0, "folds are joined before it");
            total.0 = 0;
        })
        .add::<grow_older>()
        .add::<after_all>()
        .run_if(schedule::Condition::of::<is_hurt>());
    builder.order("may_panic", Target::of::<is_hurt>());
    builder.order("first", Target::of::<is_hurt>());
    builder.order("may_panic", Target::of::<Later>());
    (builder.build().expect("it is in order"), third)
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Health(0));
    resources.insert(Armour(0));
    resources.insert(Steps(0));
    resources.insert(Camera);
    resources.insert(Total(0));
    resources.insert(Ages(0));
    let mut world = World::new();
    world.spawn_batch((0..3).map(|age| (Age(age),)));
    world.spawn_batch((0..3).map(|age| (Age(age), Window(0))));
    world.spawn_batch((0..600).map(|age| (Age(age), Frozen)));
    resources.insert(world);
    resources.main_thread().insert(Window(0));
    resources
}

/// Keeps the threads of a pool busy until it is dropped.
struct Hold(Arc<Barrier>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// Returns a pool of this many threads, all of which wait. They allocate nothing.
fn busy_pool(n_threads: usize) -> (Arc<ThreadPool>, Hold) {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    let pool = Arc::new(pool.expect("threads can be had"));
    let barrier = Arc::new(Barrier::new(n_threads + 1));
    for _ in 0..n_threads {
        let barrier = Arc::clone(&barrier);
        pool.spawn(move || {
            // The first wait is for all threads to arrive, and the second for permission to leave.
            barrier.wait();
            barrier.wait();
        });
    }
    barrier.wait();
    (pool, Hold(barrier))
}

/// Returns the number of allocated blocks. Takes the minimum of three measurements, because the test harness may allocate on its own
/// thread.
fn n_blocks(mut of: impl FnMut()) -> u64 {
    let once = |_| {
        let _profiler = dhat::Profiler::builder().testing().build();
        of();
        dhat::HeapStats::get().total_blocks
    };
    (0..3).map(once).min().expect("it is done three times")
}

/// Returns the number of blocks that `panic!` itself allocates.
fn n_blocks_of_panic() -> u64 {
    let panic = || {
        let caught = catch_unwind(|| {
            assert!(black_box(false), "a literal");
        });
        drop(caught);
    };
    panic();
    n_blocks(panic)
}

/// A schedule that has already run often, with its resources.
struct Ready {
    on: String,
    schedule: Schedule,
    third: NodeId,
    resources: Resources,
    _hold: Hold,
}

impl Ready {
    fn new(executor: Executor, n_threads: usize, busy: u32) -> Self {
        let (mut schedule, third) = schedule(busy);
        let (pool, hold) = busy_pool(n_threads);
        schedule.set_executor(executor);
        schedule.set_pool(pool);
        Self {
            on: format!("{executor:?}, {n_threads} threads"),
            schedule,
            third,
            resources: resources(),
            _hold: hold,
        }
    }

    /// Runs once, with this number of failed systems and of skipped systems.
    fn run(&mut self, n_failures: usize, n_skipped: usize) {
        match self.schedule.run(&mut self.resources) {
            Ok(()) => assert_eq!(n_failures, 0, "{}", self.on),
            Err(error) => {
                assert_eq!(error.failures().len(), n_failures, "{}: {error}", self.on);
                assert_eq!(error.skipped().len(), n_skipped, "{}: {error}", self.on);
            }
        }
    }

    fn runs(&mut self, n_failures: usize, n_skipped: usize) {
        (0..N_RUNS).for_each(|_| self.run(n_failures, n_skipped));
    }

    fn set_armour(&mut self, armour: u32) {
        self.resources.get_mut::<Armour>().expect("inserted").0 = armour;
    }

    fn switch(&mut self, is_enabled: bool) {
        let third = self.third;
        let schedule = &mut self.schedule;
        schedule.set_enabled("second", is_enabled).expect("added");
        schedule.set_enabled(third, is_enabled).expect("added");
        let after_all = Target::of::<after_all>();
        schedule.set_enabled(after_all, is_enabled).expect("added");
        schedule.set_enabled("Late", is_enabled).expect("added");
        let group = Target::of::<Later>();
        schedule.set_enabled(group, is_enabled).expect("added");
        let repeat = "is_step_due";
        schedule.set_enabled(repeat, is_enabled).expect("added");
    }
}

#[test]
fn nothing_is_allocated_in_the_steady_state() {
    Child::new(|| {
        count();
    })
    .limit(LIMIT)
    .run();
}

fn count() {
    let default_hook = take_hook();
    set_hook(Box::new(move |info| {
        if info.payload_as_str() != Some("a literal") {
            default_hook(info);
        }
    }));
    let of_panic = n_blocks_of_panic();
    for (executor, n_threads) in [
        (Executor::Serial, 1),
        (Executor::Parallel, 1),
        (Executor::Parallel, 3),
        (Executor::Auto, 1),
    ] {
        let mut ready = Ready::new(executor, n_threads, 0);
        let on = ready.on.clone();

        ready.runs(0, 0);
        assert_eq!(n_blocks(|| ready.runs(0, 0)), 0, "calm runs, {on}");

        ready.resources.remove::<Camera>();
        ready.run(1, 1);
        let missing = n_blocks(|| ready.runs(1, 1));
        assert_eq!(missing, 0, "a resource is missing, {on}");
        ready.resources.insert(Camera);

        ready.set_armour(1);
        ready.run(1, 2);
        let failing = n_blocks(|| ready.runs(1, 2));
        assert_eq!(failing, 0, "a system returns an error, {on}");

        // Both systems after it are reported, even the one that is switched off.
        ready.schedule.set_enabled("second", false).expect("added");
        ready.run(1, 1);
        let failing = n_blocks(|| ready.runs(1, 1));
        assert_eq!(failing, 0, "a dependent is off, {on}");
        ready.schedule.set_enabled("second", true).expect("added");

        ready.set_armour(2);
        ready.run(2, 4);
        let panicking = n_blocks(|| ready.runs(2, 4));
        let by_panics = u64::from(N_RUNS) * of_panic;
        assert_eq!(panicking, by_panics, "nothing but the panics, {on}");

        ready.set_armour(0);
        ready.switch(false);
        ready.run(0, 0);
        ready.switch(true);
        ready.run(0, 0);
        let switching = n_blocks(|| {
            for _ in 0..N_RUNS {
                ready.switch(false);
                ready.run(0, 0);
                ready.switch(true);
                ready.run(0, 0);
            }
        });
        assert_eq!(switching, 0, "systems are switched, {on}");
    }

    // The work is worth several threads, but the other threads never help. `Auto` plans again, and allocates, when measured costs
    // seem to change. That depends on the clock, so up to 10 of the 50 windows may allocate. If one run in 20 allocated in the
    // steady state, no window would be clean.
    let mut ready = Ready::new(Executor::Auto, 2, 20_000);
    ready.set_armour(1);
    let window = |_: &u32| n_blocks(|| (0..20).for_each(|_| ready.run(1, 2))) == 0;
    let n_clean = (0..50).filter(window).count();
    assert!(
        n_clean >= 40,
        "only {n_clean} of 50 windows of 20 runs allocate nothing"
    );
}
