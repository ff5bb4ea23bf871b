//! Sweeps in the timelines of recorded and simulated runs.

use std::sync::Arc;
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use schedule::Executor;
use schedule::report::Machine;
use schedule::timeline::{Execution, Timeline};

use super::*;

#[derive(Resource)]
struct Steps(u32);

#[derive(Resource)]
struct Sum(i64);

#[system]
fn begin(_world: &World) {}

#[system(after = integrate)]
fn sum(positions: Query<&Position>, sum: &mut Sum) {
    sum.0 = positions.iter().map(|position| position.0).sum();
}

#[system]
fn is_left(steps: &mut Steps) -> bool {
    steps.0 += 1;
    !steps.0.is_multiple_of(4)
}

/// Four times as many entities as a sweep needs to be divided.
const N_ENTITIES: usize = 16_384;

fn resources(n_entities: usize) -> Resources {
    let mut world = World::new();
    for _ in 0..n_entities {
        world.spawn((Position(0), Velocity(1)));
    }
    let mut resources = Resources::new();
    resources.insert(world);
    resources.insert(Steps(0));
    resources.insert(Sum(0));
    resources
}

/// `begin`, three iterations of a loop over a sweep of two systems, and `sum`.
fn schedule(executor: Executor, n_threads: usize) -> Schedule {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    let mut schedule = Schedule::builder()
        .add::<begin>()
        .repeat_while::<is_left>(|step| step.add::<accelerate>().add::<integrate>())
        .after::<begin>()
        .add::<sum>()
        .build()
        .unwrap();
    schedule.set_executor(executor);
    schedule.set_pool(Arc::new(pool.unwrap()));
    schedule
}

/// Returns the timeline of a run, after runs that measure the times of the sweep.
fn record(schedule: &mut Schedule, resources: &mut Resources) -> Timeline {
    for _ in 0..3 {
        schedule.run(resources).unwrap();
    }
    let (result, recording) = schedule.record(resources);
    let timeline = recording.timeline();
    result.unwrap();
    timeline.check().unwrap();
    check_times(&timeline);
    timeline
}

/// Checks that no two executions of a worker overlap, and that none is early.
fn check_times(timeline: &Timeline) {
    let mut ends = vec![Duration::ZERO; timeline.n_workers];
    for execution in &timeline.executions {
        assert!(ends[execution.worker] <= execution.start, "{execution:?}");
        ends[execution.worker] = execution.end;
        let before = execution
            .waited_for
            .map(|before| &timeline.executions[before]);
        assert!(before.is_none_or(|before| before.end <= execution.start));
    }
}

/// The executions of the sweep, by iteration.
fn iterations(timeline: &Timeline) -> Vec<Vec<&Execution>> {
    let asked: Vec<Duration> = timeline
        .executions_of("is_left")
        .map(|one| one.end)
        .collect();
    let mut iterations = vec![Vec::new(); asked.len() - 1];
    for execution in timeline.executions_of("integrate") {
        let nth = asked.iter().rposition(|end| *end <= execution.start);
        iterations[nth.unwrap()].push(execution);
    }
    iterations
}

#[test]
fn sweep_has_an_execution_on_each_worker_that_took_part() {
    for (executor, n_threads) in [
        (Executor::Serial, 1),
        (Executor::Parallel, 1),
        (Executor::Parallel, 2),
        (Executor::Auto, 2),
    ] {
        let mut schedule = schedule(executor, n_threads);
        assert_eq!(sweeps(&schedule), [["accelerate", "integrate"]]);
        let timeline = record(&mut schedule, &mut resources(N_ENTITIES));
        let iterations = iterations(&timeline);
        assert_eq!(iterations.len(), 3, "{executor:?}");
        let before = |execution: &Execution| &timeline.executions[execution.waited_for.unwrap()];
        for (nth, of_iteration) in iterations.iter().enumerate() {
            assert!((1..=n_threads + 1).contains(&of_iteration.len()));
            let mut workers: Vec<usize> = of_iteration.iter().map(|one| one.worker).collect();
            workers.sort_unstable();
            workers.dedup();
            assert_eq!(workers.len(), of_iteration.len(), "each worker once");
            let asked = timeline.executions_of("is_left").nth(nth).unwrap();
            for execution in of_iteration {
                let systems: Vec<&str> = execution.systems().collect();
                assert_eq!(systems, ["accelerate", "integrate"]);
                assert_eq!(before(execution), asked);
            }
            let asked = timeline.executions_of("is_left").nth(nth + 1).unwrap();
            let last = of_iteration.iter().map(|execution| execution.end).max();
            assert_eq!(Some(before(asked).end), last);
        }
        let summed = timeline.executions_of("sum").next().unwrap();
        assert!(
            iterations[2]
                .iter()
                .all(|execution| execution.end <= summed.start)
        );
        assert!(timeline.to_trace().contains("\"accelerate + integrate\""));
    }
}

#[test]
fn members_of_a_small_sweep_have_executions_of_their_own() {
    let mut schedule = schedule(Executor::Serial, 1);
    let timeline = record(&mut schedule, &mut resources(10));
    for system in ["accelerate", "integrate"] {
        let executions: Vec<&Execution> = timeline.executions_of(system).collect();
        assert_eq!(executions.len(), 3);
        assert!(executions.iter().all(|execution| execution.with.is_empty()));
    }
    let integrated = timeline.executions_of("integrate").nth(1).unwrap();
    let accelerated = timeline.executions_of("accelerate").nth(1).unwrap();
    assert_eq!(
        &timeline.executions[integrated.waited_for.unwrap()],
        accelerated
    );
}

#[test]
fn simulated_workers_share_sweeps() {
    let micros = Duration::from_micros;
    let schedule = schedule(Executor::Auto, 2);
    let cost = |system: &str| match system {
        "accelerate" | "integrate" => micros(30),
        "begin" | "sum" => micros(10),
        _ => Duration::ZERO,
    };
    for (n_workers, makespan) in [(1, micros(80)), (2, micros(50)), (6, micros(30))] {
        let simulation = schedule.simulate(Machine::new(n_workers), cost);
        assert_eq!(simulation.makespan(), makespan);
        assert_eq!(simulation.span(), makespan);
        assert_eq!(simulation.bound(), makespan);
        let timeline = simulation.timeline();
        check_times(timeline);
        let swept: Vec<&Execution> = timeline.executions_of("integrate").collect();
        assert_eq!(swept.len(), n_workers);
        assert!(
            swept
                .iter()
                .all(|execution| execution.with == ["integrate"])
        );
    }
}

#[test]
fn advice_predicts_runs_with_sweeps() {
    let schedule = schedule(Executor::Auto, 2);
    let advice = schedule.advise_with(2, |system| match system {
        "accelerate" | "integrate" => Duration::from_micros(30),
        _ => Duration::ZERO,
    });
    assert_eq!(advice.span, Duration::from_micros(60), "without sharing");
    let on_two = advice.makespans.iter().find(|one| one.n_workers == 2);
    assert_eq!(on_two.unwrap().makespan, Duration::from_micros(30));
    // The order of the two systems holds for each entity, so it costs nothing.
    for change in &advice.changes {
        assert_eq!(advice.saved(change), Duration::ZERO, "{change:?}");
    }
}
