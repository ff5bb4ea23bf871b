//! Flights in simulated time.

use std::fs;
use std::path::PathBuf;

use schedule::Executor;
use schedule::driver::SimulatedTimer;
use schedule::spanning::Spanning;
use schedule::{Rate, State};

use crate::by_hand::ByHand;
use crate::device::{Fault, FaultKind};
use crate::flight::Flight;
use crate::ground::Radio;
use crate::log::replay;
use crate::mode::Mode;
use crate::motors::Guard;
use crate::parameters::{Parameters, Uplink};
use crate::planner::{Path, plan};
use crate::rates::{AltitudeLoop, Link, Planning, RateLoop};
use crate::report::Line;
use crate::script::{Script, ms};
use tempfile::TempDir;

fn flown(script: &Script, end: u64) -> Flight<SimulatedTimer> {
    let mut flight = Flight::simulated(script);
    flight.simulate_until(ms(end)).unwrap();
    flight
}

fn mode(flight: &Flight<SimulatedTimer>) -> Mode {
    flight.get::<State<Mode>>().get()
}

/// A script in which the sensors fail in this time.
fn faulty(from: u64, to: u64, kind: FaultKind) -> Script {
    Script {
        faults: vec![Fault {
            during: ms(from)..ms(to),
            kind,
        }],
        ..Script::new(3)
    }
}

#[test]
fn driver_and_loop_by_hand_fly_the_same() {
    let many_faults = Script {
        faults: (2..9)
            .map(|n| Fault {
                during: ms(n * 300)..ms(n * 300 + n * 10 + 3),
                kind: if n % 2 == 0 {
                    FaultKind::Silent
                } else {
                    FaultKind::Garbage
                },
            })
            .collect(),
        ..Script::eventful(3)
    };
    let weak = Script {
        charge: 0.2005,
        ..Script::new(3)
    };
    for script in [Script::new(2), Script::eventful(2), many_faults, weak] {
        let mut flight = Flight::simulated(&script);
        let mut by_hand = ByHand::new(&script);
        let mut end = ms(0);
        while end < script.length {
            end += ms(100);
            flight.simulate_until(end).unwrap();
            by_hand.simulate_until(end);
            assert_eq!(flight.vehicle.get(), by_hand.vehicle.get(), "at {end:?}");
            assert_eq!(mode(&flight), by_hand.mode, "at {end:?}");
        }
        assert_eq!(*flight.get::<Guard>(), by_hand.guard);
        assert_eq!(*flight.get::<Path>(), by_hand.path);
        assert_eq!(*flight.get::<Parameters>(), by_hand.parameters);
        assert_eq!(flight.get::<Radio>().line, by_hand.radio.line);
        let n_refused = flight.get::<Uplink>().n_refused;
        assert_eq!(n_refused, by_hand.uplink.n_refused);
        for (driver, by_hand) in flight.lines().iter().zip(by_hand.lines()) {
            let rate = driver.rate;
            let counts = |line: &Line| (line.n_due, line.n_failed);
            assert_eq!(counts(driver), counts(&by_hand), "{rate}");
            assert_eq!((driver.n_late, driver.n_deadline_missed), (0, 0), "{rate}");
            assert_eq!(driver.periods.errors, by_hand.periods.errors, "{rate}");
        }
    }
}

#[test]
fn modes_follow_each_other() {
    let script = Script::new(3);
    let mut flight = Flight::simulated(&script);
    let mut modes = Vec::new();
    for end in (0..=3000).step_by(100) {
        flight.simulate_until(ms(end)).unwrap();
        if modes.last() != Some(&mode(&flight)) {
            modes.push(mode(&flight));
        }
        // The planner leaves an altitude shortly before the next second.
        if [900, 1900, 2900].contains(&end) {
            let error = flight.vehicle.get().altitude - script.mission.target(ms(end));
            assert!(error.abs() < 0.1, "{error} m at {end} ms");
        }
    }
    assert_eq!(modes, [Mode::Ready, Mode::Climb, Mode::Cruise]);
}

#[test]
fn vehicle_lands_with_an_empty_battery_and_stops_its_motors() {
    let script = Script {
        charge: 0.202,
        ..Script::new(6)
    };
    let flight = flown(&script, 6000);
    assert_eq!(mode(&flight), Mode::Landed);
    assert_eq!(flight.vehicle.get().altitude, 0.0);
    assert!(
        flight
            .vehicle
            .get()
            .thrusts
            .iter()
            .all(|&thrust| thrust < 1e-6)
    );
}

#[test]
fn watchdog_levels_the_vehicle_while_sensors_are_silent() {
    for kind in [FaultKind::Silent, FaultKind::Garbage] {
        let script = faulty(1500, 1520, kind);
        let mut flight = flown(&script, 1500);
        flight.simulate_until(ms(1600)).unwrap();
        let guard = flight.get::<Guard>();
        assert_eq!((guard.n_runs, guard.n_acted, guard.n_failed), (1601, 20, 0));
        assert_eq!(mode(&flight), Mode::Cruise);
        let counts = flight.get::<Rate<RateLoop>>().counts();
        assert_eq!((counts.on_time, counts.failed), (1581, 20));
        flight.simulate_until(ms(2000)).unwrap();
        assert!(
            flight
                .vehicle
                .get()
                .tilt
                .iter()
                .all(|tilt| tilt.abs() < 0.1)
        );
        assert!((flight.vehicle.get().altitude - 0.9).abs() < 0.1);
    }
}

#[test]
fn vehicle_lands_during_a_long_fault_and_continues_after_it() {
    let script = faulty(1500, 1650, FaultKind::Silent);
    let mut flight = flown(&script, 1500);
    assert_eq!(mode(&flight), Mode::Cruise);
    flight.simulate_until(ms(1600)).unwrap();
    assert_eq!(flight.get::<Guard>().n_failed, 101);
    // Modes and telemetry go on without sensors.
    assert_eq!(mode(&flight), Mode::Land);
    assert!(flight.get::<Radio>().line.starts_with("1.60 s: Land"));
    assert_eq!(flight.get::<Rate<AltitudeLoop>>().counts().total(), 161);
    flight.simulate_until(ms(1700)).unwrap();
    assert_eq!(mode(&flight), Mode::Cruise);
    flight.simulate_until(ms(3000)).unwrap();
    assert!((flight.vehicle.get().altitude - 0.7).abs() < 0.1);
}

#[test]
fn bad_parameters_are_refused_and_the_old_ones_stay() {
    let flight = flown(&Script::eventful(1), 1000);
    let expected = Parameters {
        tilt_gain: 7.0,
        climb_speed: 1.0,
        ..Parameters::default()
    };
    assert_eq!(*flight.get::<Parameters>(), expected);
    let uplink = flight.get::<Uplink>();
    assert_eq!((uplink.n_accepted, uplink.n_refused), (1, 1));
}

#[test]
fn plans_appear_20_runs_after_their_start() {
    let mut flight = Flight::simulated(&Script::new(1));
    let planner = flight.resources.get_mut::<Spanning<plan>>().unwrap();
    planner.record();
    flight.simulate_until(ms(0)).unwrap();
    assert!(flight.get::<Spanning<plan>>().is_running());
    assert_eq!(*flight.get::<Path>(), Path::default());
    flight.simulate_until(ms(100)).unwrap();
    assert!(flight.get::<Path>().at(ms(100)).is_some());
    flight.simulate_until(ms(1000)).unwrap();
    let planner = flight.resources.get_mut::<Spanning<plan>>().unwrap();
    let expected: Vec<u64> = (0..10).map(|n| n * 100 + 20).collect();
    assert_eq!(planner.take_recorded(), expected);
    let counts = planner.counts();
    assert_eq!((counts.appeared, counts.skipped, counts.late), (10, 0, 0));
    assert_eq!(flight.get::<Rate<Planning>>().counts().on_time, 11);
}

#[test]
fn vehicle_without_a_radio_flies() {
    let script = Script::new(1);
    let mut flight = Flight::simulated(&script);
    flight.resources.remove::<Radio>();
    flight.simulate_until(script.length).unwrap();
    let counts = flight.get::<Rate<Link>>().counts();
    assert_eq!((counts.on_time, counts.total()), (21, 21));
}

/// Flies with a log. The folder is removed with the first value.
fn logged(script: &Script) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut flight = Flight::simulated(script).with_log(&log).unwrap();
    flight.simulate_until(script.length).unwrap();
    (folder, log)
}

#[test]
fn replay_decides_the_same_on_all_executors() {
    let script = Script::eventful(2);
    let (_folder, log) = logged(&script);
    for executor in [Executor::Serial, Executor::Parallel, Executor::Auto] {
        assert_eq!(replay(&log, &script, executor).unwrap(), 2001);
    }
}

#[test]
fn replay_names_the_first_run_that_another_program_decides_differently() {
    let script = Script::new(1);
    let (_folder, log) = logged(&script);
    let weak = Script {
        charge: 0.1,
        ..script
    };
    let error = replay(&log, &weak, Executor::Serial)
        .unwrap_err()
        .to_string();
    // The first vehicle has taken off after 50 ms.
    assert!(
        error.contains("in run 50 of schedule `Controller`"),
        "{error}"
    );
    assert!(error.contains("`arm`"), "{error}");
}

#[test]
fn changed_log_is_noticed() {
    let script = Script::new(1);
    let (_folder, log) = logged(&script);
    let mut bytes = fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&log, bytes).unwrap();
    let error = replay(&log, &script, Executor::Serial)
        .unwrap_err()
        .to_string();
    assert!(error.contains("damaged after"), "{error}");
    assert!(error.contains("runs before it can be replayed"), "{error}");
}
