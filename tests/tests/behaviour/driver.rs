//! Drivers: schedules of `schedule!`, per-entity systems, warnings and metrics. Unit tests of `schedule` compare drivers with an
//! interpreter.

use std::time::Duration;

use metrics::with_local_recorder;
use schedule::driver::SimulatedTimer;
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::report::TimeLimits;
use schedule::{Driver, Executor, StopToken};
use schedule_hecs::prelude::*;
use tracing::Level;

use schedule_tests::listener::Listener;
use schedule_tests::on::On;
use schedule_tests::recorder::TestRecorder;

const MS: Duration = Duration::from_millis(1);

const EXECUTORS: [On; 3] = [On::Serial, On::Auto, On::Threads(2)];

#[derive(Group)]
struct Control;

#[derive(Group)]
struct Telemetry;

/// Takes 2 ms, but 15 ms from 50 to 80 ms.
#[system(in = Control)]
fn control(clock: &Clock, timer: &SimulatedTimer) {
    let is_slow = (50 * MS..80 * MS).contains(&clock.now());
    timer.advance(if is_slow { 15 * MS } else { 2 * MS });
}

#[system(in = Telemetry, after_if_present = control)]
fn send(timer: &SimulatedTimer) -> Result<(), BoxError> {
    timer.advance(MS);
    Err("not connected".into())
}

schedule! {
    Controller {
        group Control: if is_due<Control> { control }
        group Telemetry: if is_due<Telemetry> { send }
    }
}

/// Runs the controller for 100 ms.
fn drive(on: On) -> (Driver<SimulatedTimer>, Resources) {
    let timer = SimulatedTimer::new().until(100 * MS);
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(timer.clone());
    resources.insert(Rate::<Control>::every(10 * MS).deadline(9 * MS));
    resources.insert(Rate::<Telemetry>::every(50 * MS).starting_at(5 * MS));
    let mut schedule = Controller::new();
    on.set(&mut schedule);
    schedule
        .set_limits("send", TimeLimits::new().budget(MS / 2))
        .unwrap();
    let mut driver =
        Driver::with_timer(schedule, timer).on_error(|_, _| std::ops::ControlFlow::Continue(()));
    driver.run(&mut resources).unwrap();
    (driver, resources)
}

#[test]
fn groups_of_a_listing_run_at_their_rates() {
    for on in EXECUTORS {
        let (driver, resources) = drive(on);
        let counts = resources.get::<Rate<Control>>().unwrap().counts();
        // The runs at 50 and 65 ms take 15 ms each. The second one serves 60 ms, and the one at 80 ms serves 70 ms.
        assert_eq!(counts.total(), 10, "{on:?}");
        assert_eq!(
            (counts.on_time, counts.late, counts.skipped),
            (8, 1, 1),
            "{on:?}"
        );
        let counts = resources.get::<Rate<Telemetry>>().unwrap().counts();
        assert_eq!((counts.failed, counts.total()), (2, 2), "{on:?}");
        let stats = driver.stats();
        assert_eq!(stats.n_deadline_missed, 3, "{on:?}");
        assert_eq!(stats.n_over_budget, 2, "{on:?}");
    }
}

#[test]
fn misses_and_overruns_are_warnings_at_most_one_per_second() {
    let listener = Listener::default();
    listener.through(|_, level| level <= Level::WARN, || drop(drive(On::Serial)));
    let events = listener.recorded().events;
    let texts: Vec<_> = events.iter().map(|(text, _)| text.as_str()).collect();
    let [text] = texts[..] else {
        panic!("{texts:?}")
    };
    assert!(text.starts_with("`send` ("), "{text}");
    assert!(
        text.ends_with(
            "exceeded its budget by 500.0µs in run 1: it took 1.00ms, the budget is 500.0µs"
        ),
        "{text}"
    );
}

#[test]
fn recorder_gets_the_numbers_of_the_statistics() {
    let recorder = TestRecorder::default();
    let (driver, resources) = with_local_recorder(&recorder, || drive(On::Serial));
    let recorded = recorder.recorded();
    let stats = driver.stats();
    let of = |name: &str, labels: &str| {
        recorded.counter(&format!("driver_{name}{{{labels}schedule=Controller}}"))
    };
    assert_eq!(of("runs_total", ""), stats.n_runs);
    assert_eq!(of("failed_runs_total", ""), stats.n_failed);
    assert_eq!(of("overruns_total", ""), stats.n_overruns);
    assert!(stats.n_overruns > 0);
    assert_eq!(
        of("limit_misses_total", "limit=deadline,"),
        stats.n_deadline_missed
    );
    assert_eq!(
        of("limit_misses_total", "limit=budget,"),
        stats.n_over_budget
    );
    let late = recorded.histogram("driver_lateness_seconds{schedule=Controller}");
    assert_eq!(late.len() as u64, stats.n_runs);
    let longest = late.iter().copied().fold(0.0, f64::max);
    assert_eq!(longest, stats.lateness.max().as_secs_f64());
    let counts = resources.get::<Rate<Control>>().unwrap().counts();
    for (outcome, n) in [
        ("on_time", counts.on_time),
        ("skipped", counts.skipped),
        ("failed", 0),
    ] {
        let key = format!(
            "driver_due_times_total{{outcome={outcome},rate=Rate<Control>,schedule=Controller}}"
        );
        assert_eq!(recorded.counter(&key), n, "{outcome}");
    }
}

#[test]
fn metrics_of_a_run_that_removes_a_rate_are_not_those_of_another_rate() {
    let mut builder = Schedule::builder();
    builder
        .name("changing")
        .add_closure("control", || {})
        .run_if(Condition::of::<is_due<Control>>())
        .add_closure("send", || {})
        .run_if(Condition::of::<is_due<Telemetry>>());
    let timer = SimulatedTimer::new().until(30 * MS);
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::every(10 * MS));
    resources.insert(Rate::<Telemetry>::every(MS));
    let recorder = TestRecorder::default();
    let mut n_runs = 0;
    let mut driver = Driver::with_timer(builder.build().unwrap(), timer).with_run(
        move |schedule: &mut Schedule, resources: &mut Resources| {
            let result = schedule.run(resources);
            n_runs += 1;
            if n_runs == 15 {
                schedule
                    .change(|builder| builder.remove("control"))
                    .unwrap();
            }
            result
        },
    );
    with_local_recorder(&recorder, || driver.run(&mut resources)).unwrap();
    let recorded = recorder.recorded();
    let runs = recorded.counter("driver_runs_total{schedule=changing}");
    assert_eq!((runs, driver.stats().n_runs), (30, 30));
    let key = "driver_due_times_total{outcome=on_time,rate=Rate<Control>,schedule=changing}";
    assert_eq!(recorded.counter(key), 2, "at 0 and 10 ms");
}

#[derive(Component)]
struct Position(u64);

#[derive(Component)]
struct Velocity(u64);

#[system(for_each, in = Control)]
fn accelerate(velocity: &mut Velocity) {
    velocity.0 += 1;
}

#[system(for_each, in = Control, after = accelerate)]
fn integrate(position: &mut Position, velocity: &Velocity) {
    position.0 += velocity.0;
}

#[test]
fn systems_of_a_sweep_are_measured() {
    for on in EXECUTORS {
        for n_entities in [3, 20_000] {
            let mut schedule = Schedule::builder()
                .add::<accelerate>()
                .add::<integrate>()
                .group::<Control>()
                .run_if(Condition::of::<is_due<Control>>())
                .build()
                .unwrap();
            on.set(&mut schedule);
            let limits = TimeLimits::new().budget(Duration::from_secs(60));
            schedule.set_limits("accelerate", limits).unwrap();
            schedule.set_limits("integrate", limits).unwrap();
            let mut world = World::new();
            world.spawn_batch((0..n_entities).map(|n| (Position(n), Velocity(1))));
            let mut resources = Resources::new();
            resources.insert(world);
            resources.insert(Clock::new());
            // The rate exceeds its budget in each run.
            resources.insert(Rate::<Control>::every(MS).budget(Duration::from_nanos(1)));
            let stop = StopToken::new();
            let mut driver =
                Driver::new(schedule)
                    .with_stop_token(stop)
                    .on_limit_miss(move |miss, _| {
                        let longest = miss.slow.longest.as_ref().unwrap();
                        if n_entities > 3 {
                            // Both systems have the time of the sweep.
                            assert!(longest.is_of_sweep, "{miss}");
                            assert!(miss.to_string().contains("; the sweep of `"), "{miss}");
                        }
                    });
            while driver.stats().n_runs < 5 {
                driver.run_if_due(&mut resources).unwrap();
            }
            let report = driver.report(&resources);
            for system in &report.systems {
                assert_eq!(system.times.busy.n(), 5, "{on:?} {system}");
                assert!(system.times.busy.max() > Duration::ZERO, "{on:?} {system}");
            }
            assert_eq!(driver.stats().n_over_budget, 5);
            if n_entities > 3 {
                // Each system has the time of the sweep, and the rate has it once.
                let of_rate = report.rates[0].times.busy;
                assert_eq!(of_rate, report.systems[0].times.busy, "{on:?}");
            }
        }
    }
}

#[test]
fn driver_follows_real_time_on_several_threads() {
    for executor in [Executor::Serial, Executor::Parallel] {
        let mut schedule = Schedule::builder()
            .add_closure("count", |stop: &StopToken, mut n: Local<u32>| {
                *n += 1;
                if *n == 30 {
                    stop.stop();
                }
            })
            .run_if(Condition::of::<is_due<Control>>())
            .build()
            .unwrap();
        schedule.set_executor(executor);
        let mut driver = Driver::new(schedule);
        let mut resources = Resources::new();
        resources.insert(Clock::new());
        resources.insert(Rate::<Control>::every(MS));
        resources.insert(driver.stop_token());
        driver.run(&mut resources).unwrap();
        let counts = resources.get::<Rate<Control>>().unwrap().counts();
        assert_eq!(counts.on_time + counts.late, 30, "{executor:?}");
        let passed = resources.get::<Clock>().unwrap().now().as_millis() + 1;
        assert_eq!(u128::from(counts.total()), passed, "{executor:?}");
    }
}
