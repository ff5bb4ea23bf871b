//! Functions of `with_run` that change or exchange the schedule.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use super::*;

fn extra(timer: &SimulatedTimer) {
    timer.advance(3 * MS);
}

/// Adds a system to the schedule that runs for 3 ms, before all others.
fn add_extra(schedule: &mut Schedule) {
    let change = schedule.change(|builder| {
        builder
            .add_closure("extra", extra)
            .order("extra", "prepare")
    });
    change.unwrap();
}

#[test]
fn changed_schedule_is_recorded_in_the_time_of_the_driver() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new());
        let mut n_called = 0;
        let mut driver =
            Driver::with_timer(controller(on), timer).with_run(move |schedule, resources| {
                n_called += 1;
                if n_called == 2 {
                    add_extra(schedule);
                }
                schedule.run(resources)
            });
        for n_extra in [0, 1, 1] {
            let timeline = record(&mut driver, &mut resources);
            let extra = timeline.executions_of("extra");
            let took: Vec<Duration> = extra.map(|one| one.end - one.start).collect();
            assert_eq!(took, vec![3 * MS; n_extra], "{on:?}");
            let last = timeline.executions.iter().map(|one| one.end).max();
            assert_eq!(last, Some(timeline.makespan), "{on:?}");
        }
    }
}

#[test]
fn changed_schedule_is_measured_from_the_next_run_on() {
    for on in EXECUTORS {
        let timer = SimulatedTimer::new();
        let mut resources = resources(&timer, TimeLimits::new().deadline(9 * MS));
        let mut schedule = controller(on);
        schedule
            .set_limits("control", TimeLimits::new().budget(MS))
            .unwrap();
        let mut n_called = 0;
        let mut driver =
            Driver::with_timer(schedule, timer).with_run(move |schedule, resources| {
                n_called += 1;
                match n_called {
                    2 => add_extra(schedule),
                    // It becomes smaller than the measured one.
                    4 => {
                        let change = schedule.change(|builder| {
                            builder
                                .remove("extra")
                                .remove_and_bridge("estimate")
                                .remove("send")
                        });
                        change.unwrap();
                    }
                    6 => schedule
                        .set_limits("prepare", TimeLimits::new().budget(MS))
                        .unwrap(),
                    _ => {}
                }
                schedule.run(resources)
            });
        let limits: Vec<Vec<(String, Duration)>> = (0..7)
            .map(|_| {
                let timeline = record(&mut driver, &mut resources);
                let limits = timeline.limits.into_iter();
                limits.map(|one| (one.of, one.took)).collect()
            })
            .collect();
        let limit = |of: &str, took: u32| (of.to_string(), took * MS);
        let control = limit("control", 2);
        assert_eq!(limits[0], [control.clone(), limit("Rate<Control>", 4)]);
        assert_eq!(limits[1], []);
        assert_eq!(limits[2], [control.clone(), limit("Rate<Control>", 7)]);
        assert_eq!(limits[3], []);
        assert_eq!(limits[4], [control.clone(), limit("Rate<Control>", 3)]);
        assert_eq!(limits[5], []);
        let last = [limit("prepare", 1), control, limit("Rate<Control>", 3)];
        assert_eq!(limits[6], last, "{on:?}");
    }
}

/// A timer that counts how often it is read.
#[derive(Clone, Default)]
struct Counting(SimulatedTimer, Arc<AtomicUsize>);

impl Timer for Counting {
    fn now(&self) -> Duration {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.now()
    }

    fn wait_until(&self, time: Duration, stop: &schedule::StopToken) {
        self.0.wait_until(time, stop);
    }
}

/// Runs a schedule twice. Fails if the timer is read.
fn run_unrecorded(schedule: &mut Schedule, resources: &mut Resources, timer: &Counting) {
    let n_read = timer.1.load(Ordering::Relaxed);
    for _ in 0..2 {
        schedule.run(resources).unwrap();
    }
    assert_eq!(timer.1.load(Ordering::Relaxed), n_read);
}

#[test]
fn schedule_that_was_exchanged_is_not_recorded_later() {
    for on in EXECUTORS {
        let timer = Counting::default();
        let mut resources = resources(&timer.0, TimeLimits::new());
        let other = Arc::new(Mutex::new(controller(on)));
        let exchanged = Arc::clone(&other);
        let mut driver = Driver::with_timer(controller(on), timer.clone()).with_run(
            move |schedule, resources| {
                mem::swap(schedule, &mut exchanged.lock().unwrap());
                schedule.run(resources)
            },
        );
        let timeline = record(&mut driver, &mut resources);
        assert!(timeline.executions.is_empty(), "{on:?}");
        run_unrecorded(&mut other.lock().unwrap(), &mut resources, &timer);
        run_unrecorded(driver.schedule_mut(), &mut resources, &timer);
    }
}

#[test]
fn schedule_is_not_recorded_after_a_function_that_panics() {
    for on in EXECUTORS {
        let timer = Counting::default();
        let mut resources = resources(&timer.0, TimeLimits::new());
        let mut driver = Driver::with_timer(controller(on), timer.clone())
            .with_run(|_, _| panic!("before the run"));
        let call = AssertUnwindSafe(|| drop(driver.record(&mut resources)));
        assert!(catch_unwind(call).is_err());
        run_unrecorded(driver.schedule_mut(), &mut resources, &timer);
    }
}
