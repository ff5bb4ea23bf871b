//! Altitude: estimate, targets and control.

use std::time::Duration;

use schedule::prelude::*;

use crate::attitude::Readings;
use crate::parameters::Parameters;
use crate::planner::Path;
use crate::rates::{AltitudeLoop, Rated};
use crate::vehicle::GRAVITY;

/// The estimated altitude.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Altitude {
    /// In m.
    pub(crate) altitude: f64,
    /// In m/s.
    pub(crate) climb: f64,
    /// The time of the estimate.
    at: Duration,
}

/// The altitude that the vehicle is to have.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Setpoint {
    /// In m.
    pub(crate) altitude: f64,
    /// In m/s.
    pub(crate) climb: f64,
}

/// The sum of all thrusts, in N.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Throttle(pub(crate) f64);

/// The altitude at which a climb ends, in m.
pub(crate) const TAKE_OFF: f64 = 0.5;

/// Estimates the altitude: that of the accelerometer, corrected by the barometer.
#[system(in = AltitudeLoop)]
pub(crate) fn estimate_altitude(clock: &Clock, readings: &Readings, altitude: &mut Altitude) {
    let Ok(reading) = readings.0 else { return };
    let passed = (clock.now() - altitude.at).as_secs_f64();
    altitude.at = clock.now();
    altitude.climb += reading.acceleration * passed;
    altitude.altitude += altitude.climb * passed;
    let error = reading.altitude - altitude.altitude;
    altitude.altitude += 0.1 * error;
    altitude.climb += 0.4 * error;
}

/// Climbs at a constant speed.
#[system(in = AltitudeLoop)]
pub(crate) fn climb(parameters: &Parameters, setpoint: &mut Setpoint) {
    let step = parameters.climb_speed * AltitudeLoop::period().as_secs_f64();
    setpoint.altitude = (setpoint.altitude + step).min(TAKE_OFF);
    setpoint.climb = if setpoint.altitude < TAKE_OFF {
        parameters.climb_speed
    } else {
        0.0
    };
}

/// Follows the path of the planner.
#[system(in = AltitudeLoop)]
pub(crate) fn follow_path(clock: &Clock, path: &Path, setpoint: &mut Setpoint) {
    if let Some((altitude, climb)) = path.at(clock.now()) {
        setpoint.altitude = altitude;
        setpoint.climb = climb;
    }
}

/// Sinks at half of the speed of a climb.
#[system(in = AltitudeLoop)]
pub(crate) fn descend(parameters: &Parameters, setpoint: &mut Setpoint) {
    setpoint.climb = -parameters.climb_speed / 2.0;
    setpoint.altitude += setpoint.climb * AltitudeLoop::period().as_secs_f64();
}

/// Requests the thrust for the setpoint.
#[system(in = AltitudeLoop)]
pub(crate) fn control_altitude(
    altitude: &Altitude,
    setpoint: &Setpoint,
    parameters: &Parameters,
    throttle: &mut Throttle,
) {
    let error = setpoint.altitude - altitude.altitude;
    let climb_error = setpoint.climb - altitude.climb;
    let acceleration = parameters.altitude_gain * error + parameters.climb_gain * climb_error;
    throttle.0 = (GRAVITY + acceleration).clamp(0.3 * GRAVITY, 2.0 * GRAVITY);
}
