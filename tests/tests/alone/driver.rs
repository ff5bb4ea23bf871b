//! A driver allocates nothing between its runs.

use std::time::Duration;

use schedule::driver::{RealTimer, SimulatedTimer, Timer};
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::report::Limits;
use schedule::{Driver, Executor, StopToken};
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

/// Runs a driver until `control` was executed `n` times. Returns the number of blocks that were allocated, including those for the
/// driver itself. `is_recorded`: whether all runs are recorded.
fn n_blocks(timer: impl Timer, n: u32, is_recorded: bool) -> u64 {
    let profiler = dhat::Profiler::builder().testing().build();
    let mut builder = Schedule::builder();
    builder
        .add::<control>()
        .add::<send>()
        .group::<Control>()
        .run_if(Condition::of::<is_due<Control>>())
        .group::<Telemetry>()
        .run_if(Condition::of::<is_due<Telemetry>>());
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(Executor::Serial);
    let budget = Limits::new().budget(Duration::ZERO);
    schedule.set_limits("send", budget).unwrap();
    let mut driver = Driver::with_timer(schedule, timer)
        .on_overrun(|_, _| {})
        .on_limit_miss(|_, _| {});
    if is_recorded {
        driver = driver.record_limit_misses(|recording, _| assert!(recording.has_missed_limits()));
    }
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::hertz(10_000.0).deadline(LIMIT));
    resources.insert(Rate::<Telemetry>::hertz(3_000.0));
    resources.insert(Left(n));
    resources.insert(driver.stop_token());
    driver.run(&mut resources).unwrap();
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
        let least = |n| (0..3).map(|_| n_blocks(RealTimer::new(), n, false)).min();
        assert_eq!(least(3), least(1000));
        let spinning = RealTimer::new().spin(Duration::from_micros(30));
        let least = |n| (0..3).map(|_| n_blocks(spinning, n, false)).min();
        assert_eq!(least(3), least(1000));
        for is_recorded in [false, true] {
            let least = |n| {
                let trials = (0..3).map(|_| n_blocks(SimulatedTimer::new(), n, is_recorded));
                trials.min()
            };
            assert_eq!(least(3), least(1000), "{is_recorded}");
        }
    })
    .limit(LIMIT)
    .run();
}
