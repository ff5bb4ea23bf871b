//! A recorder allocates nothing in runs without failures.

use std::io;
use std::time::Duration;

use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::replay::{RecordedResources, Recorder};
use schedule::snapshot::Snapshot;
use schedule::{Executor, Target};
use schedule_tests::child::Child;
use serde::{Deserialize, Serialize};

/// A busy machine must not fail a test.
const LIMIT: Duration = Duration::from_secs(600);

#[derive(Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sensors")]
struct Sensors(Vec<u32>);

#[derive(Resource, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "sum")]
struct Sum(u32);

#[derive(Group, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "steps")]
struct Steps;

#[system(if = is_due<Steps>)]
fn step(sum: &mut Sum) {
    sum.0 = sum.0.wrapping_add(1);
}

#[system]
fn is_even(sensors: &Sensors) -> bool {
    sensors.0[0].is_multiple_of(2)
}

#[system(if = is_even)]
fn add_up(sensors: &Sensors, sum: &mut Sum) {
    sum.0 = sum.0.wrapping_add(sensors.0.iter().sum());
}

/// Records `n` runs. Returns the number of blocks that were allocated.
fn n_blocks(n: u32) -> u64 {
    let profiler = dhat::Profiler::builder().testing().build();
    let mut schedule = Schedule::builder()
        .add::<is_even>()
        .add::<add_up>()
        .add::<is_due<Steps>>()
        .add::<step>()
        .order("add_up", "step")
        .build()
        .unwrap();
    schedule.set_executor(Executor::Serial);
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Sensors(vec![7; 20]));
    resources.insert(Sum(0));
    resources.insert(Rate::<Steps>::every(Duration::from_millis(10)));
    let recorded = RecordedResources::new()
        .input::<Sensors>()
        .output::<Sum>()
        .output::<Rate<Steps>>();
    let mut recorder = Recorder::new(io::sink(), &schedule, recorded).unwrap();
    for nth in 0..n {
        let sensors = resources.get_mut::<Sensors>().unwrap();
        sensors.0[nth as usize % 20] += 1;
        sensors.0[0] = nth % 100;
        resources
            .get_mut::<Clock>()
            .unwrap()
            .advance(Duration::from_millis(10));
        schedule
            .set_enabled(Target::of::<add_up>(), nth % 10 < 8)
            .unwrap();
        recorder.run(&mut schedule, &mut resources).unwrap();
    }
    assert_eq!(recorder.n_runs(), u64::from(n));
    recorder.finish().unwrap();
    drop((schedule, resources));
    let n_blocks = dhat::HeapStats::get().total_blocks;
    drop(profiler);
    n_blocks
}

#[test]
fn number_of_recorded_runs_does_not_change_allocations() {
    Child::new(|| {
        // The test harness may allocate on its own thread.
        let least = |n| (0..3).map(|_| n_blocks(n)).min();
        assert_eq!(least(100), least(2000));
    })
    .limit(LIMIT)
    .run();
}
