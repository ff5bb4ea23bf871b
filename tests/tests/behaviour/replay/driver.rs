//! Recordings of drivers.

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schedule::driver::SimulatedTimer;
use schedule::prelude::*;
use schedule::rate::is_due;
use schedule::replay::{RecordedResources, Recorder, Replayer};
use schedule::snapshot::Snapshot;
use schedule::{Condition, Driver};
use serde::{Deserialize, Serialize};

use super::{Sensors, diverged};
use schedule_tests::on::On;

const MS: Duration = Duration::from_millis(1);

#[derive(Group)]
struct Control;

#[derive(Group)]
struct Telemetry;

#[derive(Group)]
struct Slow;

#[derive(Group, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "timed")]
struct Timed;

/// The runs of each system, as milliseconds of the clock.
#[derive(Resource, Default, Debug, PartialEq)]
struct Served(Vec<(char, u128)>);

#[system(in = Control)]
fn control(sensors: &Sensors, clock: &Clock, served: &mut Served) -> Result<(), &'static str> {
    served.0.push(('c', clock.now().as_millis()));
    match sensors.distance % 10 {
        7 => Err("too near"),
        _ => Ok(()),
    }
}

#[system(in = Telemetry, after_if_present = control)]
fn send(clock: &Clock, served: &mut Served) {
    served.0.push(('t', clock.now().as_millis()));
}

#[system(in = Slow, after_if_present = send)]
fn plan(clock: &Clock, served: &mut Served) {
    served.0.push(('s', clock.now().as_millis()));
}

schedule! {
    Controller {
        group Control: if is_due<Control> { control }
        group Telemetry: if is_due<Telemetry> { send }
        group Slow: if is_due<Slow> { plan }
    }
}

fn resources(period: Duration) -> Resources {
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    resources.insert(Rate::<Control>::every(period));
    // A tolerance makes runs early, with and without a driver.
    resources.insert(Rate::<Telemetry>::every(15 * MS).tolerance(3 * MS));
    resources.insert(Rate::<Slow>::every(40 * MS).catch_up(2));
    resources.insert_default::<Served>();
    resources.insert(Sensors::at(0));
    resources
}

/// A file in memory, which is read after the driver that writes it.
#[derive(Clone, Default)]
struct File(Arc<Mutex<Vec<u8>>>);

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn recorded() -> RecordedResources {
    RecordedResources::new().input::<Sensors>()
}

/// Records a driver for 500 ms, whose waits end up to 9 ms late.
fn record(on: On) -> (Vec<u8>, Resources) {
    let mut late = 0;
    let timer = SimulatedTimer::new().until(500 * MS).jitter(move |_| {
        late = (late * 7 + 3) % 10;
        late * MS
    });
    let mut schedule = Controller::new();
    on.set(&mut schedule);
    let file = File::default();
    let mut recorder = Recorder::new(file.clone(), &schedule, recorded()).unwrap();
    let mut driver = Driver::with_timer(schedule, timer)
        .with_run(move |schedule, resources| {
            resources.get_mut::<Sensors>().unwrap().distance += 1;
            recorder.run(schedule, resources)
        })
        .on_error(|_, _| ControlFlow::Continue(()));
    let mut resources = resources(10 * MS);
    driver.run(&mut resources).unwrap();
    assert!(driver.stats().n_failed > 2);
    drop(driver);
    let bytes = file.0.lock().unwrap().clone();
    (bytes, resources)
}

fn served(resources: &Resources) -> &Served {
    resources.get::<Served>().unwrap()
}

#[test]
fn runs_of_a_driver_are_repeated_without_a_driver() {
    let (bytes, recorded_resources) = record(On::Serial);
    let counts = |resources: &Resources| resources.get::<Rate<Telemetry>>().unwrap().counts();
    for &on in On::ALL {
        // The clock and the decisions of the driver do not depend on threads.
        assert!(record(on).0 == bytes, "{on:?}");
        let mut schedule = Controller::new();
        on.set(&mut schedule);
        let mut resources = resources(10 * MS);
        let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
        let n_runs = replayer.run_all(&mut schedule, &mut resources).unwrap();
        assert!(n_runs > 30, "{n_runs}");
        assert_eq!(served(&resources), served(&recorded_resources), "{on:?}");
        assert_eq!(counts(&resources), counts(&recorded_resources), "{on:?}");
    }
}

#[test]
fn other_rate_is_named_in_the_first_run_that_differs() {
    let (bytes, recorded_resources) = record(On::Serial);
    let mut schedule = Controller::new();
    let mut resources = resources(20 * MS);
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
    let divergence = diverged(replayer.run_all(&mut schedule, &mut resources));
    // The runs are recorded up to the first one in which `control` would not have been due.
    let first = &divergence.systems[0];
    assert_eq!(&first.name, "is_due<Control>");
    let same = served(&resources).0.len() - 1;
    assert_eq!(
        served(&resources).0[..same],
        served(&recorded_resources).0[..same]
    );
    assert!(divergence.changed_inputs.contains(&"clock".to_string()));
}

/// A replay in a loop uses the rates as the driver did, also if a driver runs the replay.
#[test]
fn driver_can_run_the_replay() {
    let (bytes, recorded_resources) = record(On::Serial);
    let schedule = Controller::new();
    let mut replayer = Replayer::new(std::io::Cursor::new(bytes), &schedule, recorded()).unwrap();
    let timer = SimulatedTimer::new();
    let mut driver = Driver::with_timer(schedule, timer).on_error(|_, _| ControlFlow::Continue(()));
    let stop = driver.stop_token();
    driver = driver.with_run(move |schedule, resources| {
        match replayer.run(schedule, resources).unwrap() {
            Some(run) => run.result,
            None => {
                stop.stop();
                Ok(())
            }
        }
    });
    let mut resources = resources(10 * MS);
    driver.run(&mut resources).unwrap();
    assert_eq!(served(&resources), served(&recorded_resources));
}

/// The timer of the driver measures the systems. The replay has no driver.
#[test]
fn measured_times_of_a_rate_are_no_output() {
    let schedule = || {
        let mut builder = Schedule::builder();
        builder.add_closure("wait", |timer: Option<&SimulatedTimer>| {
            if let Some(timer) = timer {
                timer.advance(MS);
            }
        });
        builder.run_if(Condition::of::<is_due<Timed>>());
        builder.build().unwrap()
    };
    let resources = || {
        let mut resources = Resources::new();
        resources.insert(Clock::new());
        resources.insert(Rate::<Timed>::every(10 * MS).deadline(5 * MS));
        resources
    };
    let recorded = || RecordedResources::new().output::<Rate<Timed>>();
    let file = File::default();
    let mut recorder = Recorder::new(file.clone(), &schedule(), recorded()).unwrap();
    let timer = SimulatedTimer::new().until(45 * MS);
    let mut driven = resources();
    driven.insert(timer.clone());
    let mut driver = Driver::with_timer(schedule(), timer)
        .with_run(move |schedule, resources| recorder.run(schedule, resources));
    driver.run(&mut driven).unwrap();
    let rate = driven.get::<Rate<Timed>>().unwrap();
    assert_eq!(rate.run_times().response.max(), MS);
    drop(driver);
    let bytes = file.0.lock().unwrap();
    let mut schedule = schedule();
    let mut replayer = Replayer::new(&bytes[..], &schedule, recorded()).unwrap();
    let n_runs = replayer.run_all(&mut schedule, &mut resources());
    assert_eq!(n_runs.unwrap(), 5);
}
