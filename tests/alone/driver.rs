//! A driver allocates nothing between its runs.

use std::ops::ControlFlow;
use std::time::Duration;

use schedule::driver::{RealTimer, SimulatedTimer, Timer};
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::report::TimeLimits;
use schedule::{Driver, Executor, StopToken};
use schedule_hecs::prelude::*;
use schedule_tests::child::Child;

/// A busy machine must not fail a test.
const LIMIT: Duration = Duration::from_secs(600);

#[derive(Group)]
struct Control;

#[derive(Group)]
struct Telemetry;

/// The number of executions until the driver is stopped.
#[derive(Resource)]
struct Left(u32);

#[system(in = Control)]
fn control(left: &mut Left, stop: &StopToken) {
    left.0 -= 1;
    if left.0 == 0 {
        stop.stop();
    }
}

#[system(in = Telemetry)]
fn send() {}

#[derive(Debug)]
struct Broken;

impl core::fmt::Display for Broken {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("broken")
    }
}

impl core::error::Error for Broken {}

/// Whether the last run fails.
#[derive(Resource)]
struct Fails(bool);

#[system(in = Control, after = control)]
fn end(left: &Left, fails: &Fails) -> Result<(), Broken> {
    if left.0 == 0 && fails.0 {
        Err(Broken)
    } else {
        Ok(())
    }
}

#[derive(Component)]
struct Position(u32);

#[system(for_each, in = Control)]
fn integrate(position: &mut Position) {
    position.0 += 1;
}

#[system(for_each, in = Control, after = integrate)]
fn bounce(position: &mut Position) {
    position.0 ^= 1;
}

/// The kind of a driver.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    /// Whether all runs are recorded.
    is_recorded: bool,
    /// Whether the last run fails.
    is_failing: bool,
    /// Whether the systems include a sweep of many entities, which runs in chunks.
    has_sweep: bool,
}

/// Runs a driver until `control` was executed `n` times. Returns the number of blocks that were allocated, including those for the
/// driver itself.
fn n_blocks(timer: impl Timer, n: u32, kind: Kind) -> u64 {
    let profiler = dhat::Profiler::builder().testing().build();
    let mut builder = Schedule::builder();
    builder
        .add::<control>()
        .add::<end>()
        .add::<send>()
        .group::<Control>()
        .run_if(Condition::of::<is_due<Control>>())
        .group::<Telemetry>()
        .run_if(Condition::of::<is_due<Telemetry>>());
    if kind.has_sweep {
        builder.add::<integrate>().add::<bounce>();
    }
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Serial);
    let budget = TimeLimits::new().budget(Duration::ZERO);
    schedule.set_limits("send", budget).unwrap();
    let mut driver = Driver::with_timer(schedule, timer)
        .on_overrun(|_, _| {})
        .on_limit_miss(|_, _| {})
        .on_error(|error, _| {
            assert_eq!(error.failures().len(), 1);
            ControlFlow::Continue(())
        });
    if kind.is_recorded {
        driver = driver.record_limit_misses(|recording, _| assert!(recording.has_missed_limits()));
    }
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::hertz(10_000.0).deadline(LIMIT));
    resources.insert(Rate::<Telemetry>::hertz(3_000.0).deadline(Duration::ZERO));
    resources.insert(Left(n));
    resources.insert(Fails(kind.is_failing));
    resources.insert(driver.stop_token());
    if kind.has_sweep {
        let mut world = World::<()>::new();
        for _ in 0..10_000 {
            world.spawn((Position(0),));
        }
        resources.insert(world);
    }
    driver.run(&mut resources).unwrap();
    assert_eq!(driver.stats().n_failed, u64::from(kind.is_failing));
    assert!(driver.stats().n_runs >= u64::from(n));
    drop((driver, resources));
    let n_blocks = dhat::HeapStats::get().total_blocks;
    drop(profiler);
    n_blocks
}

#[test]
fn number_of_runs_of_a_driver_does_not_change_its_allocations() {
    Child::new(|| {
        // The test harness may allocate on its own thread.
        let plain = Kind::default();
        let least = |n| (0..3).map(|_| n_blocks(RealTimer::new(), n, plain)).min();
        assert_eq!(least(3), least(1000));
        let spinning = RealTimer::new().spin(Duration::from_micros(30));
        let least = |n| (0..3).map(|_| n_blocks(spinning, n, plain)).min();
        assert_eq!(least(3), least(1000));
        for is_recorded in [false, true] {
            let least = |n| {
                let kind = Kind {
                    is_recorded,
                    ..plain
                };
                (0..3)
                    .map(|_| n_blocks(SimulatedTimer::new(), n, kind))
                    .min()
            };
            assert_eq!(least(3), least(1000), "{is_recorded}");
            let least = |n| {
                let kind = Kind {
                    is_recorded,
                    has_sweep: true,
                    ..plain
                };
                (0..3)
                    .map(|_| n_blocks(SimulatedTimer::new(), n, kind))
                    .min()
            };
            assert_eq!(least(3), least(30), "{is_recorded}");
        }
        let least = |n, is_failing| {
            let kind = Kind {
                is_recorded: true,
                is_failing,
                ..plain
            };
            (0..3)
                .map(|_| n_blocks(SimulatedTimer::new(), n, kind))
                .min()
        };
        // The first run takes the memory that a failure needs.
        assert_eq!(least(10, true), least(10, false));
    })
    .limit(LIMIT)
    .run();
}
