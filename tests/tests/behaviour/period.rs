//! Schedules with a period: helpers wait for runs.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use rayon::ThreadPoolBuilder;
use schedule::Executor;
use schedule::prelude::*;
use schedule::report::PeriodReport;

#[derive(Resource)]
struct Count<const N: usize>(u64);

/// Takes about 50 µs.
#[system]
fn step<const N: usize>(count: &mut Count<N>) {
    let start = Instant::now();
    while start.elapsed() < Duration::from_micros(50) {
        core::hint::spin_loop();
    }
    count.0 += 1;
}

const PERIOD: Duration = Duration::from_millis(3);

/// Four independent systems.
fn frame(executor: Executor) -> (Schedule, Resources) {
    let mut frame = Schedule::builder()
        .add::<step<0>>()
        .add::<step<1>>()
        .add::<step<2>>()
        .add::<step<3>>()
        .build()
        .unwrap();
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    frame.set_pool(Arc::new(pool));
    frame.set_executor(executor);
    let mut resources = Resources::new();
    resources.insert(Count::<0>(0));
    resources.insert(Count::<1>(0));
    resources.insert(Count::<2>(0));
    resources.insert(Count::<3>(0));
    (frame, resources)
}

fn counts(resources: &Resources) -> [u64; 4] {
    [
        resources.get::<Count<0>>().unwrap().0,
        resources.get::<Count<1>>().unwrap().0,
        resources.get::<Count<2>>().unwrap().0,
        resources.get::<Count<3>>().unwrap().0,
    ]
}

fn report(frame: &Schedule) -> PeriodReport {
    frame.report().period.unwrap()
}

/// Runs frames at a steady rate, for ten seconds at most, until `is_enough`.
fn run_steadily(
    frame: &mut Schedule,
    resources: &mut Resources,
    is_enough: impl Fn(PeriodReport) -> bool,
) {
    let start = Instant::now();
    let mut next = start;
    while !is_enough(report(frame)) && start.elapsed() < Duration::from_secs(10) {
        next += PERIOD;
        thread::sleep(next.saturating_duration_since(Instant::now()));
        frame.run(resources).unwrap();
    }
}

#[test]
fn helpers_wait_for_runs_at_a_steady_rate() {
    for executor in [Executor::Parallel, Executor::Auto] {
        let (mut frame, mut resources) = frame(executor);
        frame.set_period(PERIOD);
        // A helper is measured when it finds work or leaves, on a busy machine after several runs.
        run_steadily(&mut frame, &mut resources, |period| {
            period.n_awaited >= 5 && period.waited > Duration::ZERO
        });
        let period = report(&frame);
        assert_eq!(period.period, PERIOD);
        assert!(period.n_awaited >= 5, "{executor:?}: {period}");
        assert!(period.n_awaited <= period.n_runs);
        assert!(period.processor_use() > 0.0, "{executor:?}: {period}");
        assert_eq!(counts(&resources), [period.n_runs; 4]);
        // A helper may add to its time between two reports.
        let whole = frame.report();
        let period = whole.period.expect("a period is set");
        assert!(whole.to_string().contains(&period.to_string()));
    }
}

#[test]
fn no_helper_waits_for_a_serial_run() {
    let (mut frame, mut resources) = frame(Executor::Serial);
    frame.set_period(PERIOD);
    run_steadily(&mut frame, &mut resources, |period| period.n_runs >= 20);
    let period = report(&frame);
    assert_eq!(
        (period.n_runs, period.n_awaited, period.waited),
        (20, 0, Duration::ZERO)
    );
    assert_eq!(period.processor_use(), 0.0);
    assert_eq!(
        period.to_string(),
        "period 3ms: a helper waited for 0 of 20 runs, and used 0.0 % of a processor"
    );
}

#[test]
fn helpers_leave_if_no_run_begins() {
    let (mut frame, mut resources) = frame(Executor::Parallel);
    frame.set_period(PERIOD);
    for _ in 0..3 {
        // The helper gives up in the pause.
        run_steadily(&mut frame, &mut resources, |period| {
            period.waited > Duration::ZERO
        });
        thread::sleep(5 * PERIOD);
        let waited = report(&frame).waited;
        thread::sleep(5 * PERIOD);
        assert_eq!(report(&frame).waited, waited, "a helper still waits");
        frame.run(&mut resources).unwrap();
    }
    let n_runs = report(&frame).n_runs;
    assert_eq!(counts(&resources), [n_runs; 4]);
}

#[test]
fn period_can_change_at_any_time() {
    let (mut frame, mut resources) = frame(Executor::Auto);
    let periods = [
        Some(Duration::from_micros(300)),
        Some(Duration::ZERO),
        None,
        Some(Duration::MAX),
        Some(Duration::from_micros(1)),
        Some(PERIOD),
    ];
    let mut n_runs = 0;
    for _ in 0..5 {
        for period in periods {
            frame.set_period(period);
            assert_eq!(frame.report().period.map(|one| one.period), period);
            for pause in [0, 0, 300, 100, 0, 1_000] {
                thread::sleep(Duration::from_micros(pause));
                frame.run(&mut resources).unwrap();
                n_runs += 1;
            }
        }
    }
    frame.set_period(None);
    assert_eq!(frame.report().period, None);
    assert_eq!(counts(&resources), [n_runs; 4]);
}

#[test]
fn failures_are_those_of_a_run_without_a_period() {
    #[system(after = step::<0>)]
    fn fail(count: &Count<0>) -> Result<(), BoxError> {
        match count.0 % 2 {
            0 => Ok(()),
            _ => Err("odd".into()),
        }
    }

    let (_, mut resources) = frame(Executor::Auto);
    let mut frame = Schedule::builder()
        .add::<step<0>>()
        .add::<step<1>>()
        .add::<fail>()
        .build()
        .unwrap();
    frame.set_period(PERIOD);
    for nth in 1..20 {
        thread::sleep(PERIOD);
        assert_eq!(frame.run(&mut resources).is_err(), nth % 2 == 1);
        assert_eq!(counts(&resources), [nth, nth, 0, 0]);
    }
}
