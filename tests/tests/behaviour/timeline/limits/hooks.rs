//! A recorded run is the same as any other run of the driver.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use schedule::driver::DriverError;
use schedule::{RunError, StopToken};

use super::*;

/// The texts of misses, overruns and errors.
type Texts = Arc<Mutex<Vec<String>>>;

/// A driver that is stopped at 95 ms. The run at 20 ms is slow and overruns, so that the next one is late. The run for 40 ms begins late,
/// and that at 50 ms fails.
fn driver(on: On) -> (Driver<SimulatedTimer>, Resources, Texts) {
    let late = |due| {
        if due == 40 * MS {
            3 * MS
        } else {
            Duration::ZERO
        }
    };
    let timer = SimulatedTimer::new().until(95 * MS).jitter(late);
    let mut schedule = Schedule::builder()
        .add_closure("work", |timer: &SimulatedTimer, clock: &Clock| {
            let is_slow = clock.now() == 20 * MS;
            timer.advance(if is_slow { 12 * MS } else { 2 * MS });
            assert!(clock.now() != 50 * MS, "fails at 50 ms");
        })
        .run_if(Condition::of::<is_due<Control>>())
        .build()
        .unwrap();
    on.set(&mut schedule);
    schedule
        .set_limits("work", TimeLimits::new().budget(5 * MS))
        .unwrap();
    let texts = Texts::default();
    let [misses, overruns, errors] = [(); 3].map(|()| Arc::clone(&texts));
    let driver = Driver::with_timer(schedule, timer.clone())
        .on_limit_miss(move |miss, _| misses.lock().unwrap().push(miss.to_string()))
        .on_overrun(move |overrun, _| overruns.lock().unwrap().push(overrun.to_string()))
        .on_error(move |error, _| {
            errors.lock().unwrap().push(error.to_string());
            ControlFlow::Continue(())
        });
    let mut resources = resources(&timer, TimeLimits::new().deadline(4 * MS));
    resources.remove::<Rate<Telemetry>>();
    (driver, resources, texts)
}

#[test]
fn recorded_runs_count_and_are_reported_like_others() {
    for on in EXECUTORS {
        let (mut plain, mut resources, texts) = driver(on);
        plain.run(&mut resources).unwrap();
        let report = plain.report(&resources);
        let texts = texts.lock().unwrap().clone();
        // At 20 ms both limits and an overrun, for 40 ms the deadline, and the error.
        assert_eq!(texts.len(), 5, "{texts:?}");

        let (mut recorded, mut resources, recorded_texts) = driver(on);
        let (mut n_recorded, mut n_missed) = (0, 0);
        loop {
            let (result, recording) = recorded.record(&mut resources);
            result.unwrap();
            let Some(recording) = recording else { break };
            n_recorded += 1;
            let timeline = recording.timeline();
            check(&timeline);
            let n_of_run = timeline.limits.iter().filter(|one| one.is_missed()).count();
            assert_eq!(recording.has_missed_limits(), n_of_run > 0);
            n_missed += n_of_run as u64;
        }
        assert_eq!(recorded.report(&resources), report, "{on:?}");
        assert_eq!(*recorded_texts.lock().unwrap(), texts, "{on:?}");
        let stats = recorded.stats();
        assert_eq!(n_recorded, stats.n_runs);
        assert_eq!(n_missed, stats.n_deadline_missed + stats.n_over_budget);
    }
}

#[test]
fn recordings_are_passed_to_the_hook_if_a_limit_is_missed() {
    for on in EXECUTORS {
        let (driver, mut resources, texts) = driver(on);
        let late: Arc<Mutex<Vec<Timeline>>> = Arc::default();
        let (kept, places) = (Arc::clone(&late), Arc::clone(&texts));
        let mut driver = driver.record_limit_misses(move |recording, resources| {
            assert!(resources.contains::<Clock>());
            assert!(recording.has_missed_limits());
            places.lock().unwrap().push("recorded".to_string());
            kept.lock().unwrap().push(recording.timeline());
        });
        driver.run(&mut resources).unwrap();
        let late = late.lock().unwrap();
        late.iter().for_each(check);
        let dues: Vec<RelativeTime> = late.iter().map(|one| one.limits[1].due).collect();
        let begin = RelativeTime::After(Duration::ZERO);
        assert_eq!(dues, [begin, RelativeTime::Before(3 * MS)], "{on:?}");
        assert_eq!([late[0].makespan, late[1].makespan], [12 * MS, 2 * MS]);
        // It is called after all other hooks of the run.
        let texts = texts.lock().unwrap();
        let recorded: Vec<bool> = texts.iter().map(|text| text == "recorded").collect();
        assert_eq!(recorded, [false, false, false, true, false, true, false]);
    }
}

#[test]
fn hook_is_also_called_by_record_and_run_if_due() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer, TimeLimits::new().deadline(MS));
    let n_called = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&n_called);
    let mut driver = Driver::with_timer(controller(On::Serial), timer.clone())
        .record_limit_misses(move |_, _| *counted.lock().unwrap() += 1);
    record(&mut driver, &mut resources);
    driver.run_if_due(&mut resources).unwrap();
    assert_eq!(*n_called.lock().unwrap(), 1, "it was not due");
    timer.advance(10 * MS);
    driver.run_if_due(&mut resources).unwrap();
    assert_eq!(*n_called.lock().unwrap(), 2);
}

#[test]
fn hook_can_change_the_next_due_time() {
    let timer = SimulatedTimer::new().until(50 * MS);
    let mut resources = resources(&timer, TimeLimits::new().deadline(MS));
    resources.insert(Rate::<Telemetry>::every(100 * MS).starting_at(100 * MS));
    let begins: Arc<Mutex<Vec<Duration>>> = Arc::default();
    let kept = Arc::clone(&begins);
    let mut driver = Driver::with_timer(controller(On::Serial), timer).record_limit_misses(
        move |_, resources| {
            let begin = resources.get::<Clock>().unwrap().now();
            kept.lock().unwrap().push(begin);
            let rate = Rate::<Control>::every(10 * MS).starting_at(begin + 17 * MS);
            resources.insert(rate.deadline(MS));
        },
    );
    driver.run(&mut resources).unwrap();
    assert_eq!(*begins.lock().unwrap(), [Duration::ZERO, 17 * MS, 34 * MS]);
}

#[test]
fn time_between_two_recorded_runs_counts() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer, TimeLimits::new().deadline(9 * MS));
    let mut driver = Driver::with_timer(controller(On::Serial), timer.clone());
    record(&mut driver, &mut resources);
    timer.advance(12 * MS);
    let timeline = record(&mut driver, &mut resources);
    // The first run took 5 ms.
    assert_eq!(timeline.limits[0].due, RelativeTime::Before(7 * MS));
}

#[test]
fn stopped_driver_records_nothing() {
    let timer = SimulatedTimer::new().until(5 * MS);
    let mut resources = resources(&timer, TimeLimits::new().deadline(MS));
    let mut driver = Driver::with_timer(controller(On::Serial), timer);
    record(&mut driver, &mut resources);
    for _ in 0..2 {
        // The token is stopped in the wait, and before.
        let (result, recording) = driver.record(&mut resources);
        result.unwrap();
        assert!(recording.is_none());
    }
    assert_eq!(driver.stats().n_runs, 1);

    driver.set_stop_token(StopToken::new());
    resources.remove::<Rate<Control>>();
    resources.remove::<Rate<Telemetry>>();
    let (result, recording) = driver.record(&mut resources);
    assert!(matches!(result, Err(DriverError::MissingRates { .. })));
    assert!(recording.is_none());
}

#[test]
fn timer_that_cannot_wait_records_nothing() {
    #[derive(Clone)]
    struct Host;

    impl Timer for Host {
        fn now(&self) -> Duration {
            Duration::ZERO
        }

        fn wait_until(&self, _: Duration, _: &StopToken) {
            unreachable!()
        }

        fn can_wait(&self) -> bool {
            false
        }
    }

    let mut resources = resources(&SimulatedTimer::new(), TimeLimits::new());
    let mut driver = Driver::with_timer(controller(On::Serial), Host);
    let (result, recording) = driver.record(&mut resources);
    assert!(matches!(result, Err(DriverError::CannotWait)));
    assert!(recording.is_none());
}

#[test]
fn failed_run_is_recorded_and_skipped_systems_have_no_limits() {
    for on in EXECUTORS {
        let mut builder = Schedule::builder();
        builder
            .add_closure("fail", |timer: &SimulatedTimer| {
                timer.advance(3 * MS);
                panic!("broken");
            })
            .run_if(Condition::of::<is_due<Control>>())
            .add_closure("skipped", |timer: &SimulatedTimer| timer.advance(MS))
            .order("fail", "skipped");
        let mut schedule = builder.build().unwrap();
        on.set(&mut schedule);
        for system in ["fail", "skipped"] {
            schedule
                .set_limits(system, TimeLimits::new().budget(2 * MS))
                .unwrap();
        }
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new());
        resources.remove::<Rate<Telemetry>>();
        let mut driver = Driver::with_timer(schedule, timer);
        let (result, recording) = driver.record(&mut resources);
        let timeline = recording.unwrap().timeline();
        check(&timeline);
        assert!(matches!(
            result,
            Err(DriverError::Run(RunError::Failed { .. }))
        ));
        let [budget] = &timeline.limits[..] else {
            panic!("{timeline:?}")
        };
        assert_eq!((&*budget.of, budget.took), ("fail", 3 * MS), "{on:?}");
        assert_eq!(misses(&timeline), [("fail", vec!["fail"])]);

        // A hook can go on.
        let mut driver = driver.on_error(|_, _| ControlFlow::Continue(()));
        let (result, recording) = driver.record(&mut resources);
        result.unwrap();
        assert!(recording.unwrap().has_missed_limits());
    }
}

#[test]
fn run_that_misses_a_resource_has_neither_executions_nor_limits() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer, TimeLimits::new().deadline(MS));
    let mut driver = Driver::with_timer(controller(On::Serial), timer);
    record(&mut driver, &mut resources);
    let timer = resources.remove::<SimulatedTimer>().unwrap();
    let (result, recording) = driver.record(&mut resources);
    let timeline = recording.unwrap().timeline();
    assert!(matches!(
        result,
        Err(DriverError::Run(RunError::Missing(_)))
    ));
    assert!(timeline.executions.is_empty() && timeline.limits.is_empty());
    // Nothing of it is left.
    resources.insert(timer);
    let timeline = record(&mut driver, &mut resources);
    assert_eq!(timeline.executions_of("control").count(), 1);
}

#[test]
fn first_run_of_another_function_is_recorded() {
    for on in EXECUTORS {
        for n_runs in [0, 1, 2] {
            let timer = SimulatedTimer::new();
            let mut resources = resources(&timer, TimeLimits::new());
            let mut driver =
                Driver::with_timer(controller(on), timer).with_run(move |schedule, resources| {
                    for _ in 0..n_runs {
                        schedule.run(resources)?;
                    }
                    Ok(())
                });
            let timeline = record(&mut driver, &mut resources);
            let n_executions = timeline.executions_of("prepare").count();
            assert_eq!(n_executions, usize::from(n_runs > 0), "{on:?}");
        }
    }
}

#[test]
fn run_of_another_schedule_is_not_recorded() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer, TimeLimits::new());
    let mut other = controller(On::Serial);
    // Its recorded runs have the same numbers.
    other.record(&mut resources).0.unwrap();
    let mut other = Some(other);
    let mut driver =
        Driver::with_timer(controller(On::Serial), timer).with_run(move |schedule, resources| {
            if let Some(other) = other.take() {
                *schedule = other;
            }
            schedule.run(resources)
        });
    assert!(record(&mut driver, &mut resources).executions.is_empty());
    assert!(!record(&mut driver, &mut resources).executions.is_empty());
}

#[test]
fn executor_can_be_set_in_a_recorded_run() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer, TimeLimits::new());
    let mut driver =
        Driver::with_timer(controller(On::Serial), timer).with_run(|schedule, resources| {
            On::Threads(2).set(schedule);
            schedule.run(resources)
        });
    assert!(!record(&mut driver, &mut resources).executions.is_empty());
    let executor = driver.schedule().executor();
    assert_eq!(executor, schedule::Executor::Parallel);
}

#[test]
fn runs_are_recorded_after_a_function_that_panics() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer, TimeLimits::new());
    let mut n_called = 0;
    let mut driver = Driver::with_timer(controller(On::Serial), timer.clone()).with_run(
        move |schedule, resources| {
            n_called += 1;
            assert!(n_called != 2, "before the run");
            schedule.run(resources)
        },
    );
    record(&mut driver, &mut resources);
    let call = AssertUnwindSafe(|| drop(driver.record(&mut resources)));
    assert!(catch_unwind(call).is_err());
    timer.advance(10 * MS);
    driver.run_if_due(&mut resources).unwrap();
    let timeline = record(&mut driver, &mut resources);
    assert_eq!(timeline.executions_of("control").count(), 1);
}

#[test]
fn recording_without_the_driver_is_in_real_time_and_has_no_limits() {
    const HOUR: Duration = Duration::from_secs(3600);
    let mut schedule = Schedule::builder()
        .add_closure("work", |timer: &SimulatedTimer| timer.advance(HOUR))
        .run_if(Condition::of::<is_due<Control>>())
        .build()
        .unwrap();
    schedule
        .set_limits("work", TimeLimits::new().budget(MS))
        .unwrap();
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer, TimeLimits::new().deadline(MS));
    let mut driver = Driver::with_timer(schedule, timer);
    let timeline = record(&mut driver, &mut resources);
    assert_eq!((timeline.makespan, timeline.limits.len()), (HOUR, 2));
    let check_real = |schedule: &mut Schedule, resources: &mut Resources| {
        resources.get_mut::<Clock>().unwrap().advance(HOUR);
        let (result, recording) = schedule.record(resources);
        result.unwrap();
        assert!(!recording.has_missed_limits());
        let timeline = recording.timeline();
        assert!(timeline.makespan < HOUR && timeline.limits.is_empty());
        let worked = timeline.executions_of("work").next().unwrap();
        assert!(worked.end - worked.start < HOUR);
    };
    check_real(driver.schedule_mut(), &mut resources);
    let timeline = record(&mut driver, &mut resources);
    assert_eq!(timeline.makespan, HOUR);
    check_real(&mut driver.into_schedule(), &mut resources);
}
