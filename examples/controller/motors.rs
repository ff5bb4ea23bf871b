//! Motors: thrusts, the watchdog, and the output.

use schedule::param::Failures;
use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

use crate::altitude::Throttle;
use crate::attitude::Torque;
use crate::device::Bus;
use crate::rates::RateLoop;
use crate::vehicle::{ARM, GRAVITY, MAX_THRUST};

/// `0[i]`: the thrust of motor i, in N.
#[derive(Resource, Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[snapshot(name = "motors")]
pub(crate) struct Motors(pub(crate) [f64; 4]);

/// Whether the motors may turn.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Arming(pub(crate) bool);

/// What the watchdog has seen and done.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
pub(crate) struct Guard {
    /// Runs of the watchdog.
    pub(crate) n_runs: u64,
    /// Runs in which it has set the motors.
    pub(crate) n_acted: u64,
    /// Failed runs in a row until now.
    pub(crate) n_failed: u32,
}

impl Guard {
    /// Whether the sensors have failed for so long that the vehicle has to land.
    pub(crate) fn must_land(&self) -> bool {
        self.n_failed >= 50
    }
}

/// Distributes thrust and torque to the motors.
#[system(in = RateLoop)]
pub(crate) fn mix(throttle: &Throttle, torque: &Torque, arming: &Arming, motors: &mut Motors) {
    if !arming.0 {
        motors.0 = [0.0; 4];
        return;
    }
    let [roll, pitch] = torque.0.map(|torque| torque / (4.0 * ARM));
    let each = throttle.0 / 4.0;
    motors.0 = [
        each + roll + pitch,
        each - roll + pitch,
        each + roll - pitch,
        each - roll - pitch,
    ]
    .map(|thrust| thrust.clamp(0.0, MAX_THRUST));
}

/// Sets equal thrusts if a system before has failed: the vehicle keeps its attitude, and sinks slowly.
#[system(in = RateLoop, always)]
pub(crate) fn watchdog(
    failures: Failures,
    arming: &Arming,
    guard: &mut Guard,
    motors: &mut Motors,
) {
    watch(!failures.is_empty(), arming, guard, motors);
}

/// The watchdog without its parameters for the schedule.
pub(crate) fn watch(has_failed: bool, arming: &Arming, guard: &mut Guard, motors: &mut Motors) {
    guard.n_runs += 1;
    if !has_failed {
        guard.n_failed = 0;
        return;
    }
    guard.n_failed += 1;
    guard.n_acted += 1;
    let each = if arming.0 { 0.97 * GRAVITY / 4.0 } else { 0.0 };
    motors.0 = [each; 4];
}

/// Sends the thrusts to the motors. Without a bus, it does nothing.
#[system(in = RateLoop, always)]
pub(crate) fn write_motors(motors: &Motors, bus: Option<NonSendMut<Bus>>) {
    if let Some(mut bus) = bus {
        bus.write(motors.0);
    }
}
