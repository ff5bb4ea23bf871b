//! Tilt: sensors, estimate, and the two inner loops.

use std::fmt;
use std::time::Duration;

use schedule::prelude::*;

use crate::device::{Bus, NoAnswer, Reading};
use crate::parameters::Parameters;
use crate::rates::{RateLoop, TiltLoop};
use crate::vehicle::INERTIA;

/// The answer of the sensors in this run.
#[derive(Resource, Clone, Debug, PartialEq)]
pub(crate) struct Readings(pub(crate) Result<Reading, NoAnswer>);

/// The estimated tilt.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Attitude {
    /// `tilt[axis]`: in rad.
    pub(crate) tilt: [f64; 2],
    /// `rotation[axis]`: in rad/s.
    pub(crate) rotation: [f64; 2],
    /// The time of the estimate.
    at: Duration,
}

/// `0[axis]`: the rotation that the tilt loop requests, in rad/s.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Rotation(pub(crate) [f64; 2]);

/// `0[axis]`: the torque that the rate loop requests, in N m.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Torque(pub(crate) [f64; 2]);

/// The sensors return values that cannot be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Implausible;

impl fmt::Display for Implausible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the rotation is not plausible")
    }
}

impl std::error::Error for Implausible {}

/// Reads the sensors. Without a bus, the readings are those that a replay has set.
#[system(in = RateLoop)]
pub(crate) fn read_sensors(
    clock: &Clock,
    bus: Option<NonSendMut<Bus>>,
    readings: &mut Readings,
) -> Result<(), NoAnswer> {
    if let Some(mut bus) = bus {
        readings.0 = bus.read(clock.now());
    }
    readings.0.map(drop)
}

/// Estimates the tilt: that of the gyroscope, slowly corrected by the accelerometer.
#[system(in = RateLoop)]
pub(crate) fn estimate_attitude(
    clock: &Clock,
    readings: &Readings,
    attitude: &mut Attitude,
) -> Result<(), Implausible> {
    /// The fastest rotation that the vehicle can have, in rad/s.
    const FASTEST: f64 = 50.0;
    let Ok(reading) = readings.0 else {
        return Ok(());
    };
    if !reading
        .rotation
        .iter()
        .all(|rotation| rotation.abs() < FASTEST)
    {
        return Err(Implausible);
    }
    let passed = (clock.now() - attitude.at).as_secs_f64();
    attitude.at = clock.now();
    attitude.rotation = reading.rotation;
    for axis in 0..2 {
        let integrated = attitude.tilt[axis] + reading.rotation[axis] * passed;
        attitude.tilt[axis] = integrated + 0.01 * (reading.tilt[axis] - integrated);
    }
    Ok(())
}

/// Requests the rotation that levels the vehicle.
#[system(in = TiltLoop)]
pub(crate) fn control_tilt(attitude: &Attitude, parameters: &Parameters, rotation: &mut Rotation) {
    rotation.0 = attitude.tilt.map(|tilt| -parameters.tilt_gain * tilt);
}

/// Requests the torque for this rotation.
#[system(in = RateLoop)]
pub(crate) fn control_rotation(
    attitude: &Attitude,
    rotation: &Rotation,
    parameters: &Parameters,
    torque: &mut Torque,
) {
    for axis in 0..2 {
        let error = rotation.0[axis] - attitude.rotation[axis];
        torque.0[axis] = INERTIA * parameters.rotation_gain * error;
    }
}
