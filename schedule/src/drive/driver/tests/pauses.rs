//! Rates that pause, and rates that runs leave as they are.

use super::*;

/// Whether the systems of the rate may run.
#[derive(Resource, Default)]
#[resource(crate = crate)]
struct IsOn(bool);

/// A loop with a guard, and a system that takes 10 µs. `is_on`: the guard by run, and after the last one `false`.
fn guarded(is_on: &'static [bool]) -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add_closure(
            "decide",
            |is_on_now: &mut IsOn, stop: &StopToken, mut nth: Local<usize>| {
                is_on_now.0 = is_on.get(*nth).copied().unwrap_or(false);
                *nth += 1;
                // So that the test ends even if the driver never waits.
                if *nth == 1000 {
                    stop.stop();
                }
            },
        )
        .add_closure("work", |timer: &SimulatedTimer| {
            timer.advance(Duration::from_micros(10));
        })
        .repeat_while::<is_due<Fast>>(|body| {
            body.add_closure("step", |clock: &Clock, times: &mut Times| {
                times.0.push(("step", clock.now().as_millis()));
            })
        })
        .run_if(Condition::closure("is_on", |is_on: &IsOn| is_on.0))
        .order("decide", "is_on")
        .order("work", "decide");
    builder.build().unwrap()
}

/// Runs it for a second with this rate, whose wake-ups are late by `late` until 90 ms. Returns the statistics, and the
/// times of the steps in milliseconds.
fn run(is_on: &'static [bool], rate: Rate<Fast>, late: Duration) -> (DriverStats, Vec<u128>) {
    let timer = SimulatedTimer::new()
        .until(1000 * MS)
        .jitter(move |due| if due < 90 * MS { late } else { Duration::ZERO });
    let mut resources = resources(&timer);
    resources.insert(rate);
    resources.insert_default::<IsOn>();
    let mut driver = Driver::with_timer(guarded(is_on), timer);
    resources.insert(driver.stop_token());
    driver.run(&mut resources).unwrap();
    let times = resources.get::<Times>().unwrap();
    (*driver.stats(), times.of("step"))
}

#[test]
fn paused_rate_causes_at_most_one_run_per_period() {
    let rate = || Rate::<Fast>::every(20 * MS);
    for rate in [rate(), rate().catch_up(5), rate().count_paused()] {
        for is_on in [&[][..], &[true, true, true, true, true]] {
            for late in [0, 15_000, 19_900, 19_995] {
                let (stats, _) = run(is_on, rate.clone(), Duration::from_micros(late));
                let n = stats.n_runs;
                assert!((40..=51).contains(&n), "{n} runs: {is_on:?}, {late} µs");
                assert!(stats.n_overruns <= 5, "{stats}: {is_on:?}, {late} µs");
            }
        }
    }
}

#[test]
fn rate_continues_after_a_pause() {
    let is_on = &[true, true, false, false, true, true];
    let (_, times) = run(is_on, Rate::every(20 * MS), Duration::ZERO);
    assert_eq!(times, [0, 20, 80, 100]);
}

#[test]
fn event_loop_runs_at_the_due_time_after_one_that_a_run_did_not_serve() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    resources.remove::<Rate<Slow>>();
    resources.remove::<Times>();
    let mut driver = Driver::with_timer(schedule_of_fast(), timer.clone());
    driver.run_if_due(&mut resources).unwrap_err();
    resources.insert_default::<Times>();
    for _ in 0..5 {
        let wait = driver.run_if_due(&mut resources).unwrap();
        assert_eq!(wait, Some(10 * MS));
        timer.advance(10 * MS);
    }
    let times = resources.get::<Times>().unwrap();
    assert_eq!(times.of("fast"), [10, 20, 30, 40]);
}

fn schedule_of_fast() -> Schedule {
    Schedule::builder()
        .add_closure("fast", |clock: &Clock, times: &mut Times| {
            times.0.push(("fast", clock.now().as_millis()));
        })
        .run_if(Condition::of::<is_due<Fast>>())
        .build()
        .unwrap()
}

#[test]
fn loop_that_sleeps_until_the_next_due_time_waits_one_period_in_a_pause() {
    let mut schedule = guarded(&[]);
    let mut resources = resources(&SimulatedTimer::new());
    resources.remove::<Rate<Slow>>();
    resources.insert(StopToken::new());
    resources.insert_default::<IsOn>();
    let mut n_runs = 0;
    while resources.get::<Clock>().unwrap().now() < 100 * MS {
        schedule.run(&mut resources).unwrap();
        n_runs += 1;
        assert!(n_runs <= 11, "it does not wait");
        let next = schedule.next_due(&resources).unwrap();
        let of_rate = resources.get::<Rate<Fast>>().unwrap().next_due();
        assert_eq!(of_rate, next);
        resources.get_mut::<Clock>().unwrap().advance_to(next);
    }
    assert_eq!(n_runs, 10);
}

#[test]
fn first_run_after_a_pause_is_on_time() {
    // At the last run before the pause, the rate is due at once, or in a part of its period.
    for (start, runs) in [(0, [40, 60, 80]), (15, [55, 75, 95])] {
        let rate = Rate::<Fast>::every(20 * MS);
        for rate in [rate.clone(), rate.catch_up(5)] {
            let timer = SimulatedTimer::new().until(97 * MS);
            let mut resources = resources(&timer);
            resources.remove::<Rate<Slow>>();
            resources.insert_default::<IsOn>();
            resources.insert(rate.starting_at(start * MS));
            let is_on = &[false, false, true, true, true, true];
            let mut driver = Driver::with_timer(guarded(is_on), timer);
            resources.insert(driver.stop_token());
            driver.run(&mut resources).unwrap();
            let times = resources.get::<Times>().unwrap();
            assert_eq!(times.of("step"), runs);
            let rate = resources.get::<Rate<Fast>>().unwrap();
            let counts = rate.counts();
            assert_eq!((counts.on_time, counts.total()), (3, 3), "{counts:?}");
            assert_eq!(rate.max_lateness(), Duration::ZERO);
        }
    }
}

#[test]
fn stopped_token_ends_an_event_loop() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    let mut driver = Driver::with_timer(schedule_of_fast(), timer.clone());
    driver.run_if_due(&mut resources).unwrap();
    driver.stop_token().stop();
    timer.advance(10 * MS);
    assert_eq!(driver.run_if_due(&mut resources).unwrap(), None);
    assert_eq!(driver.stats().n_runs, 1);
}

/// A watchdog of 25 ms that each run of a rate of 10 ms restarts, up to 40 ms.
fn watchdog() -> Schedule {
    let mut builder = Schedule::builder();
    builder
        .add_closure("alive", |clock: &Clock, rate: &mut Rate<Slow>| {
            if clock.now() <= 40 * MS {
                rate.restart(clock);
            }
        })
        .run_if(Condition::of::<is_due<Fast>>())
        .repeat_while::<is_due<Slow>>(|body| {
            body.add_closure("lost", |clock: &Clock, times: &mut Times| {
                times.0.push(("lost", clock.now().as_millis()));
            })
        })
        .order("alive", "is_due<Slow>");
    builder.build().unwrap()
}

#[test]
fn driver_waits_for_the_due_time_of_a_restarted_rate() {
    let timer = SimulatedTimer::new().until(100 * MS);
    let mut resources = resources(&timer);
    resources.insert(Rate::<Slow>::every(25 * MS).starting_at(25 * MS));
    let mut driver = Driver::with_timer(watchdog(), timer);
    driver.run(&mut resources).unwrap();
    assert_eq!(resources.get::<Times>().unwrap().of("lost"), [65, 90]);
    let counts = resources.get::<Rate<Slow>>().unwrap().counts();
    assert_eq!((counts.on_time, counts.total()), (2, 2));
}

#[test]
fn program_restarts_a_rate_between_two_steps_of_a_driver() {
    let timer = SimulatedTimer::new();
    let mut resources = resources(&timer);
    resources.insert(Rate::<Slow>::every(25 * MS).starting_at(1000 * MS));
    let mut driver = Driver::with_timer(schedule(Executor::Serial), timer.clone());
    let mut step = |resources: &mut Resources| driver.run_if_due(resources).unwrap();
    assert_eq!(step(&mut resources), Some(10 * MS));
    timer.advance(10 * MS);
    assert_eq!(step(&mut resources), Some(10 * MS));
    timer.advance(7 * MS);
    // The clock has the time of the last run.
    let clock = resources.get_mut::<Clock>().unwrap();
    clock.advance_to(17 * MS);
    let clock = clock.clone();
    resources.get_mut::<Rate<Fast>>().unwrap().restart(&clock);
    assert_eq!(step(&mut resources), Some(10 * MS));
    timer.advance(10 * MS);
    step(&mut resources);
    assert_eq!(resources.get::<Times>().unwrap().of("fast"), [0, 10, 27]);
}
