//! Recorded timelines are consistent with the run.

// Code that only reads and writes text is safe, and takes long under Miri.
#[cfg(not(miri))]
mod chart;
#[cfg(not(miri))]
mod limits;
#[cfg(not(miri))]
mod trace;

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use schedule::Executor;
use schedule::prelude::*;
use schedule::report::Machine;
use schedule::timeline::{Execution, Timeline};

#[derive(Resource)]
struct Soil(u32);

#[derive(Resource)]
struct Wheat(u32);

#[derive(Resource)]
struct Wool(u32);

#[derive(Resource)]
struct Rounds(u32);

#[derive(Resource)]
struct Gate {
    is_open: bool,
}

/// Takes long enough for helpers to join.
fn work() {
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(60) {
        thread::yield_now();
    }
}

#[system]
fn sow(soil: &mut Soil) {
    work();
    soil.0 += 1;
}

#[system(after = sow)]
fn reap(soil: &Soil, wheat: &mut Wheat) {
    work();
    wheat.0 += soil.0;
}

#[system]
fn shear(wool: &mut Wool) {
    work();
    wool.0 += 1;
}

#[system]
fn is_open(gate: &Gate) -> bool {
    gate.is_open
}

#[system(if = is_open, after = (reap, shear))]
fn sell(_wheat: &Wheat, _wool: &Wool) {
    work();
}

#[system(if = not(is_open), after = (reap, shear))]
fn wait(_wheat: &Wheat, _wool: &Wool) {
    work();
}

#[system]
fn is_left(rounds: &mut Rounds) -> bool {
    rounds.0 += 1;
    !rounds.0.is_multiple_of(4)
}

#[system]
fn knead(wheat: &mut Wheat) {
    work();
    wheat.0 += 1;
}

#[system(after = knead)]
fn bake(_wheat: &Wheat) {
    work();
}

#[system]
fn spin(wool: &mut Wool) {
    work();
    wool.0 += 1;
}

/// A schedule with a condition on both sides, and a loop of three iterations in which two systems can run at the same time.
fn year() -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .name("year")
        .policy(schedule::Policy::InsertionOrder)
        .add::<sow>()
        .add::<reap>()
        .add::<shear>()
        .add::<is_open>()
        .add::<sell>()
        .add::<wait>()
        .repeat_while::<is_left>(|day| day.add::<knead>().add::<bake>().add::<spin>());
    builder.build().unwrap()
}

fn resources() -> Resources {
    let mut resources = Resources::new();
    resources.insert(Soil(0));
    resources.insert(Wheat(0));
    resources.insert(Wool(0));
    resources.insert(Rounds(0));
    resources.insert(Gate { is_open: false });
    resources
}

/// All executors, each with a number of threads. Only two of them under Miri, which takes seconds for a parallel run.
fn ways() -> impl Iterator<Item = (Executor, usize)> {
    let executors: &[Executor] = if cfg!(miri) {
        &[Executor::Serial, Executor::Parallel]
    } else {
        &[Executor::Serial, Executor::Parallel, Executor::Auto]
    };
    let n_threads: &[usize] = if cfg!(miri) { &[2] } else { &[1, 2, 4] };
    let ways = |&executor| {
        n_threads
            .iter()
            .map(move |&n_threads| (executor, n_threads))
    };
    executors.iter().flat_map(ways)
}

fn set_way(schedule: &mut Schedule, (executor, n_threads): (Executor, usize)) {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    schedule.set_executor(executor);
    schedule.set_pool(Arc::new(pool.unwrap()));
}

/// Checks the invariants of every timeline.
fn check(timeline: &Timeline, n_threads: usize) {
    // The caller is not part of the pool. All threads of the pool may help, but not all at the same time.
    assert!(timeline.n_workers <= n_threads + 1);
    let mut ends = vec![Duration::ZERO; timeline.n_workers];
    let mut last = Duration::ZERO;
    for execution in &timeline.executions {
        let Execution { start, end, .. } = *execution;
        assert!(last <= start && start <= end && end <= timeline.makespan);
        last = start;
        let is_beside = |other: &&Execution| other.start <= start && start < other.end;
        assert!(timeline.executions.iter().filter(is_beside).count() <= n_threads);
        assert!(
            ends[execution.worker] <= start,
            "{execution:?} overlaps another"
        );
        ends[execution.worker] = end;
        if let Some(before) = execution.waited_for {
            assert!(
                timeline.executions[before].end <= start,
                "{execution:?} is early"
            );
        }
    }
}

/// Passes eight timelines of successful runs for each way to `look_at`. `Auto` uses several modes.
fn for_years(mut look_at: impl FnMut(&Timeline, (Executor, usize))) {
    for way in ways() {
        let (mut year, mut resources) = (year(), resources());
        set_way(&mut year, way);
        for _ in 0..if cfg!(miri) { 1 } else { 8 } {
            let (result, recording) = year.record(&mut resources);
            let timeline = recording.timeline();
            result.unwrap();
            check(&timeline, way.1);
            look_at(&timeline, way);
        }
    }
}

fn n_executions(timeline: &Timeline, system: &str) -> usize {
    timeline.executions_of(system).count()
}

#[test]
fn timeline_has_each_executed_system_once_per_iteration() {
    for_years(|timeline, way| {
        for once in ["sow", "reap", "shear", "is_open", "wait"] {
            assert_eq!(n_executions(timeline, once), 1, "{once} by {way:?}");
        }
        assert_eq!(n_executions(timeline, "sell"), 0, "it was passed over");
        assert_eq!(n_executions(timeline, "is_left"), 4);
        for part in ["knead", "bake", "spin"] {
            assert_eq!(n_executions(timeline, part), 3, "{part} by {way:?}");
        }
    });
}

#[test]
fn recording_contains_nothing_of_earlier_recordings() {
    for way in ways() {
        let (mut year, mut resources) = (year(), resources());
        set_way(&mut year, way);
        for (is_open, n_before, n_iterations) in
            [(true, 0, 3), (false, 2, 1), (true, 1, 2), (false, 0, 3)]
        {
            resources.insert(Gate { is_open });
            resources.insert(Rounds(n_before));
            let (_, recording) = year.record(&mut resources);
            let timeline = recording.timeline();
            assert_eq!(n_executions(&timeline, "sell"), usize::from(is_open));
            assert_eq!(n_executions(&timeline, "wait"), usize::from(!is_open));
            assert_eq!(n_executions(&timeline, "bake"), n_iterations, "{way:?}");
            assert_eq!(n_executions(&timeline, "is_left"), n_iterations + 1);
            // Runs in between are not recorded.
            year.run(&mut resources).unwrap();
        }
    }
}

#[test]
fn ordered_systems_start_after_their_predecessors() {
    for_years(|timeline, _| {
        let executions = |name| timeline.executions_of(name).collect::<Vec<&Execution>>();
        let [sown, reaped, shorn] = ["sow", "reap", "shear"].map(|name| executions(name)[0]);
        let [asked, waited] = ["is_open", "wait"].map(|name| executions(name)[0]);
        assert!(sown.end <= reaped.start);
        for before in [reaped, shorn, asked] {
            assert!(before.end <= waited.start);
        }
        for iteration in 0..3 {
            let asks = executions("is_left");
            let [kneaded, baked] = ["knead", "bake"].map(|name| executions(name)[iteration]);
            assert!(asks[iteration].end <= kneaded.start && kneaded.end <= baked.start);
            assert!(baked.end <= asks[iteration + 1].start);
        }
    });
}

#[test]
fn execution_names_the_predecessor_that_ended_last() {
    for_years(|timeline, _| {
        let before = |execution: &Execution| Some(&timeline.executions[execution.waited_for?]);
        let name = |execution: &Execution| before(execution).map(|before| before.system.as_str());
        let one = |system| timeline.executions_of(system).next().unwrap();
        assert_eq!(name(one("sow")), None);
        assert_eq!(name(one("reap")), Some("sow"));
        let candidates = ["reap", "shear", "is_open"].map(one);
        let last = candidates.iter().map(|execution| execution.end).max();
        assert_eq!(before(one("wait")).map(|execution| execution.end), last);
        for (iteration, execution) in timeline.executions_of("bake").enumerate() {
            let kneaded = timeline.executions_of("knead").nth(iteration);
            assert_eq!(before(execution), kneaded, "of the same iteration");
        }
        for (iteration, execution) in timeline.executions_of("spin").enumerate() {
            assert_eq!(
                before(execution),
                timeline.executions_of("is_left").nth(iteration)
            );
        }
        for (iteration, execution) in timeline.executions_of("is_left").enumerate().skip(1) {
            let parts =
                ["bake", "spin"].map(|name| timeline.executions_of(name).nth(iteration - 1));
            let last = parts
                .map(|execution| execution.unwrap().end)
                .into_iter()
                .max();
            assert_eq!(before(execution).map(|execution| execution.end), last);
        }
    });
}

#[derive(Resource)]
struct Meal;

#[derive(Checkpoint)]
struct Served;

#[system(before = Served)]
fn order(mut commands: Commands<Inserts<Meal>>) {
    commands.insert(Meal);
}

#[system(after = Served)]
fn eat(_meal: &mut Meal) {}

#[test]
fn sync_point_has_an_execution() {
    for way in ways() {
        let mut builder = Schedule::builder();
        let mut inn = builder
            .add::<order>()
            .apply_commands::<Served>()
            .add::<eat>()
            .build()
            .unwrap();
        set_way(&mut inn, way);
        let (result, recording) = inn.record(&mut Resources::new());
        let timeline = recording.timeline();
        result.unwrap();
        check(&timeline, way.1);
        let names: Vec<&str> = timeline
            .executions
            .iter()
            .map(|execution| &*execution.system)
            .collect();
        assert_eq!(names, ["order", "Served", "eat"]);
        assert_eq!(timeline.executions[2].waited_for, Some(1));
    }
}

#[system]
fn burn(_wheat: &mut Wheat) {
    panic!("fire");
}

#[system(after = burn)]
fn mourn(_wheat: &Wheat) {}

#[test]
fn failed_systems_have_executions_and_skipped_systems_have_none() {
    for way in ways() {
        let mut builder = Schedule::builder();
        let mut farm = builder
            .add::<burn>()
            .add::<mourn>()
            .add::<shear>()
            .build()
            .unwrap();
        set_way(&mut farm, way);
        let (result, recording) = farm.record(&mut resources());
        let timeline = recording.timeline();
        assert!(result.is_err());
        check(&timeline, way.1);
        assert_eq!(n_executions(&timeline, "burn"), 1);
        assert_eq!(n_executions(&timeline, "mourn"), 0);
        assert_eq!(n_executions(&timeline, "shear"), 1);
        let burnt = timeline.executions_of("burn").next().unwrap();
        assert!(burnt.end < timeline.makespan);
    }
}

#[test]
fn run_with_missing_resources_has_no_executions() {
    let mut year = year();
    let recorded_before = year.record(&mut resources()).1.timeline();
    assert!(!recorded_before.executions.is_empty());
    let mut resources = Resources::new();
    let (result, recording) = year.record(&mut resources);
    assert!(result.is_err());
    assert!(recording.timeline().executions.is_empty());
}

#[test]
fn timeline_of_a_recording_is_the_same_each_time() {
    for way in ways() {
        let (mut year, mut resources) = (year(), resources());
        set_way(&mut year, way);
        let (result, recording) = year.record(&mut resources);
        result.unwrap();
        assert_eq!(recording.timeline(), recording.timeline());
    }
}

#[test]
fn run_is_recorded_only_on_request() {
    for way in ways() {
        let (mut year, mut resources) = (year(), resources());
        set_way(&mut year, way);
        year.record(&mut resources).0.unwrap();
        year.run(&mut resources).unwrap();
        let (_, recording) = year.record(&mut resources);
        let timeline = recording.timeline();
        check(&timeline, way.1);
        // Executions of the run in between are not included.
        assert_eq!(n_executions(&timeline, "sow"), 1);
        assert_eq!(resources.get::<Soil>().unwrap().0, 3);
    }
}

#[test]
fn simulation_returns_a_timeline_of_the_same_form() {
    let year = year();
    let simulation = year.simulate(Machine::new(2), |_| Duration::from_micros(10));
    let timeline = simulation.timeline();
    check(timeline, 2);
    assert_eq!(timeline.executions, simulation.executions());
    let reaped = timeline.executions_of("reap").next().unwrap();
    assert_eq!(
        timeline.executions[reaped.waited_for.unwrap()].system,
        "sow"
    );
    let before =
        |execution: &Execution| execution.waited_for.map(|idx| timeline.executions[idx].end);
    assert_eq!(before(reaped), Some(Duration::from_micros(10)));
}

#[test]
#[cfg_attr(miri, ignore = "takes long, and is safe code")]
fn timeline_is_unchanged_after_a_json_round_trip() {
    let mut year = year();
    let mut resources = resources();
    let (_, recording) = year.record(&mut resources);
    let timeline = recording.timeline();
    let text = serde_json::to_string(&timeline).unwrap();
    assert_eq!(serde_json::from_str::<Timeline>(&text).unwrap(), timeline);
}
