//! The systems of a flight controller, as functions that both contenders call.
//!
//! 17 systems in groups of five rates, each with some floating-point arithmetic. `Load` adds work to each of them.

use std::hint::black_box;
use std::time::Duration;

use benches::work;
use schedule::prelude::*;
use schedule::rate::is_due;

/// The periods of the five rates, in milliseconds.
pub(crate) const PERIODS_MS: [u64; 5] = [1, 2, 10, 20, 100];

/// The time between two runs.
pub(crate) const STEP: Duration = Duration::from_millis(1);

/// Additional work of each system, in steps.
#[derive(Resource, Default)]
pub(crate) struct Load(pub(crate) u64);

impl Load {
    #[inline]
    fn run(&self) {
        work::take(self.0);
    }
}

/// Defines a resource of some numbers.
macro_rules! resources {
    ($($field:ident: $name:ident of $n:literal,)*) => {
        $(#[derive(Resource, Default)]
        pub(crate) struct $name(pub(crate) [f32; $n]);)*

        /// All resources, for the function written by hand.
        #[derive(Default)]
        pub(crate) struct All {
            pub(crate) load: Load,
            $($field: $name,)*
        }

        /// All resources, for the schedule.
        pub(crate) fn resources() -> Resources {
            let mut resources = Resources::new();
            $(resources.insert_default::<$name>();)*
            resources
        }

        /// The sum of all numbers, to compare results.
        pub(crate) fn sum_of(resources: &Resources) -> f32 {
            let mut sum = 0.0;
            $(sum += resources.get::<$name>().expect("it was inserted").0.iter().sum::<f32>();)*
            sum
        }

        impl All {
            /// The sum of all numbers, to compare results.
            pub(crate) fn sum(&self) -> f32 {
                let mut sum = 0.0;
                $(sum += self.$field.0.iter().sum::<f32>();)*
                sum
            }
        }
    };
}

resources! {
    imu: Imu of 6,
    filtered: Filtered of 6,
    attitude: Attitude of 3,
    baro: Baro of 1,
    height: Height of 2,
    attitude_goal: AttitudeGoal of 3,
    rate_goal: RateGoal of 3,
    torque: Torque of 3,
    motors: Motors of 4,
    output: Output of 4,
    gps: Gps of 3,
    position: Position of 3,
    position_goal: PositionGoal of 3,
    battery: Battery of 2,
    limits: TimeLimits of 2,
    status: Status of 4,
    telemetry: Telemetry of 8,
}

#[system]
pub(crate) fn read_imu(load: &Load, imu: &mut Imu) {
    load.run();
    for (idx, value) in imu.0.iter_mut().enumerate() {
        *value = black_box(0.125) * *value + idx as f32;
    }
}

#[system]
pub(crate) fn filter_imu(load: &Load, imu: &Imu, filtered: &mut Filtered) {
    load.run();
    for (value, new) in filtered.0.iter_mut().zip(imu.0) {
        *value += 0.25 * (new - *value);
    }
}

#[system]
pub(crate) fn estimate_attitude(load: &Load, filtered: &Filtered, attitude: &mut Attitude) {
    load.run();
    for (value, rate) in attitude.0.iter_mut().zip(filtered.0) {
        *value = 0.98 * (*value + 0.001 * rate) + 0.02 * filtered.0[3];
    }
}

#[system]
pub(crate) fn control_rates(
    load: &Load,
    filtered: &Filtered,
    goal: &RateGoal,
    torque: &mut Torque,
) {
    load.run();
    for idx in 0..3 {
        let error = goal.0[idx] - filtered.0[idx];
        torque.0[idx] = 0.5 * error + 0.1 * torque.0[idx];
    }
}

#[system]
pub(crate) fn mix(load: &Load, torque: &Torque, limits: &TimeLimits, motors: &mut Motors) {
    load.run();
    let [roll, pitch, yaw] = torque.0;
    let all = [
        roll + pitch + yaw,
        roll - pitch - yaw,
        pitch - roll - yaw,
        yaw - roll - pitch,
    ];
    for (motor, value) in motors.0.iter_mut().zip(all) {
        *motor = value.clamp(-1.0 - limits.0[0], 1.0 + limits.0[1]);
    }
}

#[system]
pub(crate) fn write_motors(load: &Load, motors: &Motors, output: &mut Output) {
    load.run();
    output.0 = black_box(motors.0);
}

#[system]
pub(crate) fn read_baro(load: &Load, baro: &mut Baro) {
    load.run();
    baro.0[0] = black_box(1.5) + 0.5 * baro.0[0];
}

#[system]
pub(crate) fn estimate_height(load: &Load, baro: &Baro, filtered: &Filtered, height: &mut Height) {
    load.run();
    let error = baro.0[0] - height.0[0];
    height.0[1] = 0.9 * (height.0[1] + 0.002 * filtered.0[5]) + 0.1 * error;
    height.0[0] += 0.002 * height.0[1];
}

#[system]
pub(crate) fn control_attitude(
    load: &Load,
    attitude: &Attitude,
    goal: &AttitudeGoal,
    rates: &mut RateGoal,
) {
    load.run();
    for idx in 0..3 {
        rates.0[idx] = 4.0 * (goal.0[idx] - attitude.0[idx]);
    }
}

#[system]
pub(crate) fn read_gps(load: &Load, gps: &mut Gps) {
    load.run();
    for (idx, value) in gps.0.iter_mut().enumerate() {
        *value = 0.5 * *value + black_box(idx as f32);
    }
}

#[system]
pub(crate) fn estimate_position(load: &Load, gps: &Gps, position: &mut Position) {
    load.run();
    for (value, new) in position.0.iter_mut().zip(gps.0) {
        *value += 0.1 * (new - *value);
    }
}

#[system]
pub(crate) fn control_position(
    load: &Load,
    position: &Position,
    height: &Height,
    wanted: &PositionGoal,
    goal: &mut AttitudeGoal,
) {
    load.run();
    for idx in 0..3 {
        goal.0[idx] = 0.2 * (wanted.0[idx] - position.0[idx]) + 0.01 * height.0[0];
    }
}

#[system]
pub(crate) fn read_battery(load: &Load, battery: &mut Battery) {
    load.run();
    battery.0[0] = 0.75 * battery.0[0] + black_box(3.0);
    battery.0[1] += 0.02 * battery.0[0];
}

#[system]
pub(crate) fn limit(load: &Load, battery: &Battery, limits: &mut TimeLimits) {
    load.run();
    limits.0[0] = (battery.0[0] * 0.1).min(1.0);
    limits.0[1] = (battery.0[0] * 0.05).min(1.0);
}

#[system]
pub(crate) fn plan(load: &Load, position: &Position, wanted: &mut PositionGoal) {
    load.run();
    for (value, now) in wanted.0.iter_mut().zip(position.0) {
        *value = 0.9 * *value + 0.1 * (now + 1.0);
    }
}

#[system]
pub(crate) fn watch(load: &Load, battery: &Battery, output: &Output, status: &mut Status) {
    load.run();
    status.0[0] = battery.0[0];
    for motor in output.0 {
        status.0[1] = status.0[1].max(motor);
    }
}

#[system]
pub(crate) fn send(
    load: &Load,
    status: &Status,
    attitude: &Attitude,
    position: &Position,
    telemetry: &mut Telemetry,
) {
    load.run();
    let values = attitude.0.into_iter().chain(position.0).chain(status.0);
    for (value, new) in telemetry.0.iter_mut().zip(values) {
        *value = black_box(new);
    }
}

#[derive(Group)]
pub(crate) struct Rates;

#[derive(Group)]
pub(crate) struct Attitudes;

#[derive(Group)]
pub(crate) struct Navigation;

#[derive(Group)]
pub(crate) struct Supply;

#[derive(Group)]
pub(crate) struct Link;

schedule! {
    pub(crate) Controller {
        policy insertion order,
        group Rates: if is_due<Rates> {
            read_imu -> filter_imu -> estimate_attitude -> control_rates -> mix -> write_motors,
        }
        group Attitudes: if is_due<Attitudes> { read_baro -> estimate_height, control_attitude }
        group Navigation: if is_due<Navigation> { read_gps -> estimate_position -> control_position }
        group Supply: if is_due<Supply> { read_battery -> limit, plan }
        group Link: if is_due<Link> { watch -> send }
    }
}

/// The time up to which each rate has run, and the resources.
#[derive(Default)]
pub(crate) struct ByHand {
    now: Duration,
    next: [Duration; 5],
    pub(crate) all: All,
}

impl ByHand {
    /// Runs the systems that are due, in the order of the schedule, as a programmer would write it.
    pub(crate) fn run(&mut self) {
        let (now, all) = (self.now, &mut self.all);
        let mut is_due = |nth: usize| {
            let is_due = now >= self.next[nth];
            if is_due {
                self.next[nth] += Duration::from_millis(PERIODS_MS[nth]);
            }
            is_due
        };
        let load = &all.load;
        if is_due(0) {
            read_imu(load, &mut all.imu);
            filter_imu(load, &all.imu, &mut all.filtered);
            estimate_attitude(load, &all.filtered, &mut all.attitude);
            control_rates(load, &all.filtered, &all.rate_goal, &mut all.torque);
            mix(load, &all.torque, &all.limits, &mut all.motors);
            write_motors(load, &all.motors, &mut all.output);
        }
        if is_due(1) {
            read_baro(load, &mut all.baro);
            estimate_height(load, &all.baro, &all.filtered, &mut all.height);
            control_attitude(load, &all.attitude, &all.attitude_goal, &mut all.rate_goal);
        }
        if is_due(2) {
            read_gps(load, &mut all.gps);
            estimate_position(load, &all.gps, &mut all.position);
            control_position(
                load,
                &all.position,
                &all.height,
                &all.position_goal,
                &mut all.attitude_goal,
            );
        }
        if is_due(3) {
            read_battery(load, &mut all.battery);
            limit(load, &all.battery, &mut all.limits);
            plan(load, &all.position, &mut all.position_goal);
        }
        if is_due(4) {
            watch(load, &all.battery, &all.output, &mut all.status);
            send(
                load,
                &all.status,
                &all.attitude,
                &all.position,
                &mut all.telemetry,
            );
        }
        self.now += STEP;
    }
}
