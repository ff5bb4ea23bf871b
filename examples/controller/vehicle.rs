//! The physics of a small vehicle with four rotors: altitude, roll and pitch.

/// The time of a step of the simulation, in seconds.
pub(crate) const STEP: f64 = 0.001;
/// Gravity, in m/s². The vehicle weighs 1 kg, so this is also its weight in N.
pub(crate) const GRAVITY: f64 = 9.81;
/// The largest thrust of a motor, in N.
pub(crate) const MAX_THRUST: f64 = 6.0;
/// The distance of a motor from each axis, in m.
pub(crate) const ARM: f64 = 0.15;
/// The moment of inertia of each axis, in kg m².
pub(crate) const INERTIA: f64 = 0.01;

/// The time after which a motor has about 63 % of a new thrust, in seconds.
const MOTOR_LAG: f64 = 0.02;
/// The deceleration by air, in 1/s.
const DRAG: f64 = 0.3;

/// The state of the vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vehicle {
    /// Above the ground, in m.
    pub(crate) altitude: f64,
    /// Upwards, in m/s.
    pub(crate) climb: f64,
    /// The vertical acceleration of the last step, in m/s².
    pub(crate) acceleration: f64,
    /// `tilt[axis]`: roll and pitch, in rad.
    pub(crate) tilt: [f64; 2],
    /// `rotation[axis]`: the change of the tilt, in rad/s.
    pub(crate) rotation: [f64; 2],
    /// `thrusts[i]`: the thrust of motor i in N: front left, front right, rear left, rear right.
    pub(crate) thrusts: [f64; 4],
    /// Number of steps so far.
    n_steps: u64,
}

impl Vehicle {
    /// A vehicle that stands on slightly uneven ground.
    pub(crate) fn new() -> Self {
        Self {
            altitude: 0.0,
            climb: 0.0,
            acceleration: 0.0,
            tilt: [0.04, -0.03],
            rotation: [0.0; 2],
            thrusts: [0.0; 4],
            n_steps: 0,
        }
    }

    /// Simulates a step in which the motors turn towards these thrusts.
    pub(crate) fn step(&mut self, targets: [f64; 4]) {
        for (thrust, target) in self.thrusts.iter_mut().zip(targets) {
            *thrust += (target.clamp(0.0, MAX_THRUST) - *thrust) * STEP / MOTOR_LAG;
        }
        let [front_left, front_right, rear_left, rear_right] = self.thrusts;
        let torques = [
            ARM * (front_left + rear_left - front_right - rear_right),
            ARM * (front_left + front_right - rear_left - rear_right),
        ];
        let time = self.n_steps as f64 * STEP;
        let gusts = [0.02 * (7.0 * time).sin(), 0.015 * (11.0 * time).sin()];

        let thrust: f64 = self.thrusts.iter().sum();
        let lift = thrust * self.tilt[0].cos() * self.tilt[1].cos();
        self.acceleration = lift - GRAVITY - DRAG * self.climb;
        self.climb += self.acceleration * STEP;
        self.altitude += self.climb * STEP;
        let is_on_ground = self.altitude <= 0.0;
        if is_on_ground {
            self.altitude = 0.0;
            self.climb = self.climb.max(0.0);
            self.acceleration = self.acceleration.max(0.0);
        }
        for axis in 0..2 {
            let torque = if is_on_ground {
                0.0
            } else {
                torques[axis] + gusts[axis]
            };
            self.rotation[axis] += torque / INERTIA * STEP;
            if is_on_ground {
                self.rotation[axis] = 0.0;
            }
            self.tilt[axis] += self.rotation[axis] * STEP;
        }
        self.n_steps += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after_a_second(thrusts: [f64; 4]) -> Vehicle {
        let mut vehicle = Vehicle::new();
        (0..1000).for_each(|_| vehicle.step(thrusts));
        vehicle
    }

    #[test]
    fn without_thrust_it_stays_on_the_ground() {
        let vehicle = after_a_second([0.0; 4]);
        assert_eq!((vehicle.altitude, vehicle.tilt), (0.0, [0.04, -0.03]));
    }

    #[test]
    fn more_thrust_on_the_left_increases_the_roll() {
        let vehicle = after_a_second([3.1, 3.0, 3.1, 3.0]);
        assert!(vehicle.altitude > 0.2, "{vehicle:?}");
        assert!(vehicle.tilt[0] > 1.0, "{vehicle:?}");
    }
}
