//! The comparison of the driver with the loop by hand.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use schedule::driver::RealTimer;
use schedule::prelude::*;
use schedule::spanning::Spanning;
use schedule::{Executor, Rate};

use crate::by_hand::ByHand;
use crate::flight::Flight;
use crate::ground::Radio;
use crate::log::replay;
use crate::motors::Guard;
use crate::options::Options;
use crate::parameters::Uplink;
use crate::planner::plan;
use crate::rates::RateLoop;
use crate::report::{Line, MeanTimes, Report, Side};
use crate::script::{Script, ms};
use crate::vehicle::Vehicle;

/// Flies in turns of a second with the driver and by hand, and compares both.
pub(crate) fn compare(options: &Options) -> Result<Report, BoxError> {
    let mut script = Script::eventful(options.n_seconds);
    let (mean, n_runs) = mean_times(&script)?;
    script.mission.work = ms(options.planner_ms.into());
    let mut flight = Flight::new(&script, RealTimer::new()).with_deadlines();
    if let Some(log) = &options.log {
        flight = flight.with_log(log)?;
    }
    let mut by_hand = ByHand::new(&script);
    let busy = options.is_busy.then(Busy::start);
    for second in 1..=options.n_seconds {
        let end = Duration::from_secs(second.into());
        flight.fly_until(end)?;
        by_hand.fly_until(end);
    }
    drop(busy);

    let target = script.last_target();
    let (driver_lines, by_hand_lines) = (flight.lines(), by_hand.lines());
    check_arrival(flight.vehicle.get(), target, &driver_lines[0]);
    check_arrival(by_hand.vehicle.get(), target, &by_hand_lines[0]);
    let counts = flight.get::<Rate<RateLoop>>().counts();
    let n_served = counts.on_time + counts.late + counts.failed;
    assert_eq!(
        flight.get::<Guard>().n_runs,
        n_served,
        "the watchdog runs always"
    );
    assert_eq!(flight.get::<Uplink>().n_refused, 1);
    assert_eq!(by_hand.uplink.n_refused, 1);
    let plans = flight.get::<Spanning<plan>>().counts();
    let report = Report {
        n_seconds: options.n_seconds,
        driver: Side {
            lines: driver_lines,
            run_time: flight.run_time(),
            n_plans_late: plans.late,
            last_telemetry: flight.get::<Radio>().line.clone(),
        },
        by_hand: Side {
            lines: by_hand_lines,
            run_time: by_hand.run_time,
            n_plans_late: by_hand.n_plans_late(),
            last_telemetry: by_hand.radio.line.clone(),
        },
        mean,
        n_runs,
    };
    // This ends the log.
    drop(flight);
    if let Some(log) = &options.log {
        check_log(log, &script, &report)?;
    }
    Ok(report)
}

/// Replays the log with one and with several threads, and checks that it has all runs.
fn check_log(log: &Path, script: &Script, report: &Report) -> Result<(), BoxError> {
    for executor in [Executor::Serial, Executor::Parallel] {
        let n_runs = replay(log, script, executor)?;
        assert_eq!(n_runs, report.driver.run_time.n());
    }
    println!(
        "replayed {} runs of {}",
        report.driver.run_time.n(),
        log.display()
    );
    Ok(())
}

/// Checks that the vehicle flies level at this altitude. No controller can do this if the operating system stops it for too long.
fn check_arrival(vehicle: Vehicle, target: f64, fastest: &Line) {
    let stopped = fastest.periods.errors.iter().max();
    if let Some(stopped) = stopped.filter(|&&stopped| stopped > ms(50)) {
        println!(
            "the controller did not run for {stopped:.0?}: the end of the flight is not checked"
        );
        return;
    }
    assert!(
        (vehicle.altitude - target).abs() < 0.1,
        "{vehicle:?}, not at {target} m"
    );
    assert!(
        vehicle.tilt.iter().all(|tilt| tilt.abs() < 0.1),
        "{vehicle:?}"
    );
}

/// Measures the mean time of a run in simulated time, and the number of runs. Both flights must end in the same state.
fn mean_times(script: &Script) -> Result<(MeanTimes, u32), BoxError> {
    let mut mean = MeanTimes::default();
    let n_runs = (script.length.as_millis() + 1) as u32;
    let mut flight = Flight::simulated(script);
    mean.driver = flight.simulate_until(script.length)? / n_runs;
    let mut by_hand = ByHand::new(script);
    mean.by_hand = by_hand.simulate_until(script.length) / n_runs;
    assert_eq!(flight.vehicle.get(), by_hand.vehicle.get());
    Ok((mean, n_runs))
}

/// A busy thread for each processor, until it is dropped.
struct Busy(Arc<AtomicBool>);

impl Busy {
    fn start() -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        for _ in 0..thread::available_parallelism().map_or(1, |n| n.get()) {
            let is_over = is_over.clone();
            thread::spawn(move || {
                // Relaxed: nothing else is shared.
                while !is_over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(is_over)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        // Relaxed: nothing else is shared.
        self.0.store(true, Ordering::Relaxed);
    }
}
