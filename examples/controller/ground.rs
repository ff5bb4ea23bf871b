//! The battery, and telemetry for the ground.

use std::fmt::Write;

use schedule::State;
use schedule::prelude::*;

use crate::altitude::Altitude;
use crate::attitude::Attitude;
use crate::mode::Mode;
use crate::motors::Motors;
use crate::rates::{Link, Planning, Rated};

/// The battery.
#[derive(Resource, Clone, Debug, PartialEq)]
pub(crate) struct Battery {
    /// From 0 to 1.
    pub(crate) charge: f64,
}

/// The radio. Not every vehicle has one.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct Radio {
    pub(crate) n_sent: u64,
    /// The last line that was sent.
    pub(crate) line: String,
}

/// Takes the energy of the motors from the battery. At rest in the air, it lasts for five minutes.
#[system(in = Planning)]
pub(crate) fn drain_battery(motors: &Motors, battery: &mut Battery) {
    let thrust: f64 = motors.0.iter().sum();
    battery.charge -= thrust / 9.81 * Planning::period().as_secs_f64() / 300.0;
}

/// Sends the state of the vehicle to the ground.
#[system(in = Link, always)]
pub(crate) fn send_telemetry(
    clock: &Clock,
    mode: &State<Mode>,
    attitude: &Attitude,
    altitude: &Altitude,
    battery: &Battery,
    radio: Option<&mut Radio>,
) {
    send(clock, mode.get(), attitude, altitude, battery, radio);
}

/// `send_telemetry` without its parameters for the schedule.
pub(crate) fn send(
    clock: &Clock,
    mode: Mode,
    attitude: &Attitude,
    altitude: &Altitude,
    battery: &Battery,
    radio: Option<&mut Radio>,
) {
    let Some(radio) = radio else { return };
    radio.n_sent += 1;
    radio.line.clear();
    let [roll, pitch] = attitude.tilt.map(f64::to_degrees);
    let line = write!(
        radio.line,
        "{:.2} s: {mode:?}, altitude {:.2} m, roll {roll:.1}°, pitch {pitch:.1}°, battery {:.0} %",
        clock.now().as_secs_f64(),
        altitude.altitude,
        battery.charge * 100.0,
    );
    line.expect("a string takes all text");
}
