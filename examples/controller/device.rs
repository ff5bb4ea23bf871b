//! The bus to the sensors and motors: a device that belongs to one thread.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;
use std::rc::Rc;
use std::time::Duration;

use schedule::Identity;
use serde::{Deserialize, Serialize};

use crate::rates::TICK;
use crate::vehicle::Vehicle;

/// The bus. It cannot be sent to another thread, as the handles of many drivers.
///
/// The vehicle behind it is simulated in steps of 1 ms up to the time of each read.
#[derive(Identity)]
pub(crate) struct Bus {
    vehicle: Rc<Cell<Vehicle>>,
    /// Number of simulated steps.
    n_steps: u128,
    targets: [f64; 4],
    faults: Vec<Fault>,
    noise: u32,
}

/// A time in which the sensors do not work.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) during: Range<Duration>,
    pub(crate) kind: FaultKind,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FaultKind {
    /// The sensors do not answer.
    Silent,
    /// The sensors return values that are not numbers.
    Garbage,
}

/// The values of all sensors.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    /// `rotation[axis]`: of the gyroscope, in rad/s.
    pub(crate) rotation: [f64; 2],
    /// `tilt[axis]`: of the accelerometer, in rad. Noisy.
    pub(crate) tilt: [f64; 2],
    /// Upwards, in m/s².
    pub(crate) acceleration: f64,
    /// Of the barometer, in m. Noisy.
    pub(crate) altitude: f64,
}

/// The sensors did not answer.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq)]
pub(crate) struct NoAnswer;

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the sensors do not answer")
    }
}

impl std::error::Error for NoAnswer {}

impl Bus {
    pub(crate) fn new(vehicle: Rc<Cell<Vehicle>>, faults: Vec<Fault>) -> Self {
        Self {
            vehicle,
            n_steps: 0,
            targets: [0.0; 4],
            faults,
            noise: 1,
        }
    }

    /// Reads all sensors.
    pub(crate) fn read(&mut self, now: Duration) -> Result<Reading, NoAnswer> {
        self.simulate(now);
        let vehicle = self.vehicle.get();
        let fault = self.faults.iter().find(|fault| fault.during.contains(&now));
        let scale = match fault.map(|fault| fault.kind) {
            None => 1.0,
            Some(FaultKind::Garbage) => f64::NAN,
            Some(FaultKind::Silent) => return Err(NoAnswer),
        };
        Ok(Reading {
            rotation: vehicle.rotation.map(|rotation| rotation * scale),
            tilt: vehicle.tilt.map(|tilt| tilt + 0.01 * self.noise()),
            acceleration: vehicle.acceleration,
            altitude: vehicle.altitude + 0.01 * self.noise(),
        })
    }

    /// Sets the thrusts towards which the motors turn.
    pub(crate) fn write(&mut self, thrusts: [f64; 4]) {
        self.targets = thrusts;
    }

    fn simulate(&mut self, now: Duration) {
        let mut vehicle = self.vehicle.get();
        let n_steps = now.as_nanos() / TICK.as_nanos();
        while self.n_steps < n_steps {
            vehicle.step(self.targets);
            self.n_steps += 1;
        }
        self.vehicle.set(vehicle);
    }

    /// A value from -1 to 1, of a linear congruential generator.
    fn noise(&mut self) -> f64 {
        self.noise = self
            .noise
            .wrapping_mul(1_664_525)
            .wrapping_add(1_013_904_223);
        f64::from(self.noise >> 8) / f64::from(1_u32 << 23) - 1.0
    }
}
