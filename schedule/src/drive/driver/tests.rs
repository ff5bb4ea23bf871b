//! Drivers in simulated time, compared with an interpreter that lists all due times, and in real time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

use schedule_macros::{Group, Resource};

use super::*;
use crate::data::executor_choice::Executor;
use crate::data::param::{Commands, Local};
use crate::systems::condition::Condition;
use crate::systems::rate::{Rate, is_due};

mod clocks;
mod interpreter;
mod limits;
mod pauses;
mod slow;

const MS: Duration = Duration::from_millis(1);

#[derive(Group)]
#[group(crate = crate)]
struct Fast;

#[derive(Group)]
#[group(crate = crate)]
struct Slow;

/// The times at which systems ran, in milliseconds.
#[derive(Resource, Default)]
#[resource(crate = crate)]
struct Times(Vec<(&'static str, u128)>);

impl Times {
    fn of(&self, name: &str) -> Vec<u128> {
        let of = self.0.iter().filter(|(of, _)| *of == name);
        of.map(|(_, time)| *time).collect()
    }
}

/// How long the system `fast` takes, by its execution.
#[derive(Resource, Default)]
#[resource(crate = crate)]
struct Stalls(Vec<Duration>);

fn schedule(executor: Executor) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add_closure(
            "fast",
            |clock: &Clock, times: &mut Times, stalls: &mut Stalls, timer: &SimulatedTimer| {
                times.0.push(("fast", clock.now().as_millis()));
                if !stalls.0.is_empty() {
                    timer.advance(stalls.0.remove(0));
                }
            },
        )
        .run_if(Condition::of::<is_due<Fast>>())
        .add_closure("slow", |clock: &Clock, times: &mut Times| {
            times.0.push(("slow", clock.now().as_millis()));
        })
        .run_if(Condition::of::<is_due<Slow>>())
        .order("fast", "slow");
    let mut schedule = builder.build().unwrap();
    schedule.set_executor(executor);
    schedule
}

fn resources(timer: &SimulatedTimer) -> Resources {
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert_default::<Times>();
    resources.insert_default::<Stalls>();
    resources.insert(timer.clone());
    resources.insert(Rate::<Fast>::every(10 * MS));
    resources.insert(Rate::<Slow>::every(25 * MS).starting_at(5 * MS));
    resources
}

#[test]
fn runs_at_the_due_times_of_all_rates() {
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        let timer = SimulatedTimer::new().until(61 * MS);
        let mut resources = resources(&timer);
        let mut driver = Driver::with_timer(schedule(executor), timer);
        driver.run(&mut resources).unwrap();
        let times = resources.get::<Times>().unwrap();
        assert_eq!(times.of("fast"), [0, 10, 20, 30, 40, 50, 60]);
        assert_eq!(times.of("slow"), [5, 30, 55]);
        let stats = driver.stats();
        assert_eq!((stats.n_runs, stats.n_overruns, stats.n_failed), (9, 0, 0));
        assert_eq!(stats.lateness.max(), Duration::ZERO);
        assert_eq!(stats.lateness.n(), 9);
        assert_eq!(resources.get::<Clock>().unwrap().now(), 60 * MS);
    }
}

#[test]
fn overrun_is_reported_with_the_due_time_that_it_delays() {
    let timer = SimulatedTimer::new().until(61 * MS);
    let mut resources = resources(&timer);
    resources.get_mut::<Stalls>().unwrap().0 = vec![Duration::ZERO, 5 * MS, 17 * MS];
    let (send, overruns) = mpsc::channel();
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer).on_overrun(
        move |overrun, resources| {
            assert!(resources.contains::<Times>());
            send.send(overrun.clone()).unwrap();
        },
    );
    driver.run(&mut resources).unwrap();
    let overruns: Vec<Overrun> = overruns.try_iter().collect();
    // The run at 10 ms ends at 15 ms, before the next due time.
    let [overrun] = &overruns[..] else {
        panic!("{overruns:?}")
    };
    assert_eq!(
        (
            overrun.nth_run,
            overrun.begin,
            overrun.end,
            overrun.next_due
        ),
        (3, 20 * MS, 37 * MS, 30 * MS)
    );
    assert_eq!(
        overrun.to_string(),
        "run 3 took 17.0ms and ended 7.0ms after the next due time of `Rate<Fast>`"
    );
    let stats = driver.stats();
    assert_eq!((stats.n_overruns, stats.max_overrun), (1, 7 * MS));
    assert_eq!(stats.run_time.max(), 17 * MS);
    assert_eq!(stats.lateness.max(), 7 * MS);
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("fast"), [0, 10, 20, 37, 40, 50, 60]);
    assert!(stats.to_string().contains("1 overran by at most 7.0ms"));
}

#[test]
fn rate_that_a_run_does_not_reach_does_not_cause_runs_without_a_pause() {
    // It is stopped after 1000 runs, so that the test ends even if the driver never waits.
    let outer = |stop: &StopToken, mut n_runs: Local<u32>| {
        *n_runs += 1;
        if *n_runs == 1000 {
            stop.stop();
        }
        false
    };
    let mut schedule = Schedule::builder();
    schedule.repeat_while_closure("outer", outer, |body| {
        body.repeat_while::<is_due<Fast>>(|body| body.add_closure("step", || {}))
    });
    let timer = SimulatedTimer::new().until(100 * MS);
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(schedule.build().unwrap(), timer);
    resources.insert(driver.stop_token());
    driver.run(&mut resources).unwrap();
    assert_eq!(driver.stats().n_runs, 10);
}

#[test]
fn rate_that_makes_up_for_due_times_runs_without_a_pause() {
    let mut builder = Schedule::builder();
    builder
        .add_closure("fast", |clock: &Clock, times: &mut Times| {
            times.0.push(("fast", clock.now().as_millis()));
        })
        .run_if(Condition::of::<is_due<Fast>>());
    let timer = SimulatedTimer::new().until(60 * MS);
    timer.advance(7 * MS);
    let mut resources = resources(&timer);
    resources.get_mut::<Clock>().unwrap().advance(35 * MS);
    resources.insert(Rate::<Fast>::every(10 * MS).catch_up(10));
    let mut driver = Driver::with_timer(builder.build().unwrap(), timer);
    driver.run(&mut resources).unwrap();
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("fast"), [35, 35, 35, 35, 40, 50, 60, 70, 80]);
    assert_eq!(driver.stats().n_overruns, 0);
}

#[test]
fn failure_ends_the_driver_unless_the_hook_continues() {
    let failing = || {
        Schedule::builder()
            .add_closure("fail", || Err::<(), _>("as requested"))
            .run_if(Condition::of::<is_due<Fast>>())
            .build()
            .unwrap()
    };
    let timer = SimulatedTimer::new().until(95 * MS);
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(failing(), timer.clone());
    let error = driver.run(&mut resources).unwrap_err();
    assert!(error.to_string().contains("as requested"), "{error}");
    assert_eq!(driver.stats().n_runs, 1);
    let n_errors = Arc::new(AtomicU64::new(0));
    let n = Arc::clone(&n_errors);
    let mut driver = Driver::with_timer(failing(), timer).on_error(move |error, _| {
        assert_eq!(error.failures().len(), 1);
        n.fetch_add(1, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    driver.run(&mut resources).unwrap();
    assert_eq!(n_errors.load(Ordering::Relaxed), 9);
    assert_eq!((driver.stats().n_runs, driver.stats().n_failed), (9, 9));
    let counts = resources.get::<Rate<Fast>>().unwrap().counts();
    assert_eq!((counts.failed, counts.total()), (10, 10));
}

#[test]
fn missing_resource_of_the_schedule_is_reported_at_each_due_time() {
    let timer = SimulatedTimer::new().until(35 * MS);
    let mut resources = resources(&timer);
    resources.remove::<Times>();
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer)
        .on_error(|_, _| ControlFlow::Continue(()));
    driver.run(&mut resources).unwrap();
    // At 0, 5, 10, 20 and 30 ms, the last two of which are also due times of the other rate.
    assert_eq!(driver.stats().n_failed, 5);
}

#[test]
fn driver_without_due_times_fails() {
    let empty = Schedule::builder().name("idle").build().unwrap();
    let mut resources = resources(&SimulatedTimer::new());
    let error = Driver::new(empty).run(&mut resources).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("schedule `idle` has no rate, so a driver cannot run it\n"),
        "{error}"
    );
    resources.remove::<Rate<Fast>>();
    resources.remove::<Rate<Slow>>();
    let mut driver = Driver::new(schedule(Executor::Serial));
    let error = driver.run(&mut resources).unwrap_err();
    assert!(
        error.to_string().starts_with(
            "no rate of schedule `schedule` is a resource: `Rate<Fast>`, `Rate<Slow>`\n"
        ),
        "{error}"
    );
    resources.remove::<Clock>();
    let error = driver.run(&mut resources).unwrap_err();
    assert!(error.to_string().starts_with("`Clock` is missing\n"));
}

#[test]
fn time_between_two_calls_of_run_does_not_count() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer.clone());
    for end in [25, 1025] {
        driver.set_stop_token(StopToken::new());
        driver.run_until(&timer, end * MS, &mut resources);
        timer.advance(975 * MS);
    }
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("fast"), [0, 10, 20, 30, 40]);
}

impl Driver<SimulatedTimer> {
    fn run_until(&mut self, timer: &SimulatedTimer, end: Duration, resources: &mut Resources) {
        let _ = timer.clone().until(end);
        self.run(resources).unwrap();
    }
}

#[test]
fn sleeping_driver_is_woken_by_its_token() {
    let mut resources = resources(&SimulatedTimer::new());
    let minute = Duration::from_secs(60);
    resources.insert(Rate::<Fast>::every(minute).starting_at(minute));
    resources.insert(Rate::<Slow>::every(minute).starting_at(minute));
    for spin in [Duration::ZERO, 2 * minute] {
        let mut driver = Driver::new(schedule(Executor::Serial)).spin(spin);
        let token = driver.stop_token();
        let stopper = thread::spawn(move || {
            thread::sleep(20 * MS);
            token.stop();
        });
        let start = std::time::Instant::now();
        driver.run(&mut resources).unwrap();
        assert!(
            start.elapsed() < minute / 2,
            "it did not wait for the due time"
        );
        stopper.join().unwrap();
        assert_eq!(driver.stats().n_runs, 0);
        driver.run(&mut resources).unwrap();
        assert_eq!(driver.stats().n_runs, 0, "it stays stopped");
    }
}

#[test]
fn no_run_begins_before_its_due_time_in_real_time() {
    for spin in [Duration::ZERO, MS] {
        let mut builder = Schedule::builder();
        builder
            .add_closure(
                "fast",
                |clock: &Clock, rate: &Rate<Fast>, stop: &StopToken| {
                    // The rate was advanced to the next due time.
                    assert!(clock.now() + rate.period() >= rate.next_due());
                    if rate.counts().total() >= 20 {
                        stop.stop();
                    }
                },
            )
            .run_if(Condition::of::<is_due<Fast>>());
        let mut driver = Driver::new(builder.build().unwrap()).spin(spin);
        let mut resources = resources(&SimulatedTimer::new());
        resources.insert(Rate::<Fast>::every(2 * MS));
        resources.insert(driver.stop_token());
        let start = std::time::Instant::now();
        driver.run(&mut resources).unwrap();
        assert!(start.elapsed() >= 38 * MS);
    }
}

#[test]
fn clock_continues_if_the_timer_goes_backwards() {
    let timer = SimulatedTimer::new();
    timer.set(5000 * MS);
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer.clone());
    for (jump, left) in [(5000, 5), (5003, 2), (0, 2), (1, 1), (2, 5)] {
        timer.set(jump * MS);
        let wait = driver.run_if_due(&mut resources).unwrap();
        assert_eq!(wait, Some(left * MS), "at {jump} ms");
    }
    assert_eq!(driver.stats().n_runs, 2);
}

#[test]
fn driver_does_not_wait_longer_if_the_timer_went_backwards_in_a_run() {
    let timer = SimulatedTimer::new();
    timer.set(5000 * MS);
    let mut resources = resources(&timer);
    resources.insert(StopToken::new());
    let schedule = Schedule::builder()
        .add_closure(
            "fast",
            |clock: &Clock, timer: &SimulatedTimer, stop: &StopToken, times: &mut Times| {
                times.0.push(("fast", clock.now().as_millis()));
                if clock.now().is_zero() {
                    timer.set(Duration::ZERO)
                } else {
                    stop.stop()
                }
            },
        )
        .run_if(Condition::of::<is_due<Fast>>())
        .build()
        .unwrap();
    let stop = resources.get::<StopToken>().unwrap().clone();
    let mut driver = Driver::with_timer(schedule, timer).with_stop_token(stop);
    driver.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Times>().unwrap().of("fast"), [0, 10]);
}

#[test]
fn stopped_driver_needs_no_clock() {
    let mut driver = Driver::new(schedule(Executor::Serial));
    driver.stop_token().stop();
    driver.run(&mut Resources::new()).unwrap();
}

#[test]
fn run_that_removes_the_clock_and_the_rates_is_told_about_the_clock() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    let mut schedule = schedule(Executor::Serial);
    schedule
        .change(|builder| {
            builder
                .add_closure("remove", |resources: &mut Resources| {
                    resources.remove::<Clock>();
                    resources.remove::<Rate<Fast>>();
                    resources.remove::<Rate<Slow>>();
                })
                .order("slow", "remove")
        })
        .unwrap();
    let mut driver = Driver::with_timer(schedule, timer);
    let error = driver.run(&mut resources).unwrap_err();
    assert!(matches!(error, DriverError::MissingClock), "{error}");
}

#[test]
fn tolerance_applies_again_without_the_driver() {
    let timer = SimulatedTimer::new().until(25 * MS);
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer);
    driver.run(&mut resources).unwrap();
    let mut schedule = driver.into_schedule();
    resources.get_mut::<Clock>().unwrap().advance_to(26 * MS);
    schedule.run(&mut resources).unwrap();
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("fast"), [0, 10, 20, 26]);
}

#[test]
fn simulated_time_ends_also_if_the_driver_is_late() {
    let timer = SimulatedTimer::new().until(1000 * MS);
    let mut resources = resources(&timer);
    resources.insert(Rate::<Slow>::every(10 * MS).starting_at(9000 * MS));
    resources.get_mut::<Stalls>().unwrap().0 = vec![20 * MS; 100];
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer.clone());
    driver.run(&mut resources).unwrap();
    assert_eq!((driver.stats().n_runs, timer.now()), (50, 1000 * MS));
}

#[test]
fn simulated_time_ends_also_if_jitter_passes_the_end() {
    let timer = SimulatedTimer::new().until(1000 * MS).jitter(|_| 15 * MS);
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer.clone());
    driver.run(&mut resources).unwrap();
    // The next wait, for 990 ms, would end at 1005 ms.
    let last = resources.get::<Times>().unwrap().0.last().copied();
    assert_eq!((last, timer.now()), (Some(("slow", 985)), 1000 * MS));
}

#[test]
fn error_of_a_run_that_removes_the_clock_is_returned() {
    let mut builder = Schedule::builder();
    builder
        .add_closure(
            "fail",
            |timer: &SimulatedTimer| -> Result<(), &'static str> {
                timer.advance(MS);
                Err("as requested")
            },
        )
        .run_if(Condition::of::<is_due<Fast>>())
        .add_closure("remove", |mut commands: Commands| {
            commands.remove::<Clock>();
        });
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(builder.build().unwrap(), timer);
    let error = driver.run(&mut resources).unwrap_err();
    assert!(error.to_string().contains("as requested"), "{error}");
    assert!(!resources.contains::<Clock>());
    let stats = driver.stats();
    assert_eq!((stats.n_failed, stats.run_time.max()), (1, MS));
    let error = driver.run(&mut resources).unwrap_err();
    assert!(matches!(error, DriverError::MissingClock), "{error}");
}

#[test]
fn jitter_can_read_and_advance_the_timer() {
    let timer = SimulatedTimer::new().until(100 * MS);
    let read = timer.clone();
    let timer = timer.jitter(move |end| {
        assert!(read.now() < end);
        read.advance(MS);
        2 * MS
    });
    let mut resources = resources(&timer);
    let (send, ended) = mpsc::channel();
    thread::spawn(move || {
        let mut driver = Driver::with_timer(schedule(Executor::Serial), timer);
        driver.run(&mut resources).unwrap();
        send.send(driver.stats().lateness.max()).unwrap();
    });
    let lateness = ended.recv_timeout(Duration::from_secs(3));
    assert_eq!(lateness, Ok(2 * MS), "it did not end");
}

/// A timer that only shows the time.
#[derive(Clone, Default)]
struct Display(SimulatedTimer);

impl Timer for Display {
    fn now(&self) -> Duration {
        self.0.now()
    }

    fn wait_until(&self, _: Duration, _: &StopToken) {}

    fn can_wait(&self) -> bool {
        false
    }
}

#[test]
fn timer_that_cannot_wait_is_named_as_the_reason() {
    let timer = Display::default();
    let mut resources = resources(&timer.0);
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer);
    let error = driver.run(&mut resources).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("the timer of the driver cannot wait"),
        "{error}"
    );
    driver.run_if_due(&mut resources).unwrap();
    assert_eq!(driver.stats().n_runs, 1);
}
