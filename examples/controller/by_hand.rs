//! The same controller as a loop that is written by hand. It calls the functions of the systems.

mod rate;
mod thread;

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use schedule::Clock;
use schedule::param::NonSendMut;
use schedule::report::Histogram;

use self::rate::HandRate;
use self::thread::Planner;
use crate::altitude::{
    Altitude, Setpoint, Throttle, climb, control_altitude, descend, estimate_altitude, follow_path,
};
use crate::attitude::{
    Attitude, Readings, Rotation, Torque, control_rotation, control_tilt, estimate_attitude,
    read_sensors,
};
use crate::device::{Bus, NoAnswer};
use crate::ground::{Battery, Radio, drain_battery, send};
use crate::mode::{Mode, Situation, arm, disarm};
use crate::motors::{Arming, Guard, Motors, mix, watch, write_motors};
use crate::parameters::{Parameters, Uplink, reload_parameters};
use crate::planner::{Mission, Path};
use crate::rates::{AltitudeLoop, Link, Planning, RateLoop, TICK, TiltLoop};
use crate::report::Line;
use crate::script::Script;
use crate::vehicle::Vehicle;

/// The controller, with all values that are resources in the schedule.
pub(crate) struct ByHand {
    clock: Clock,
    bus: Bus,
    pub(crate) vehicle: Rc<Cell<Vehicle>>,
    readings: Readings,
    attitude: Attitude,
    rotation: Rotation,
    torque: Torque,
    altitude: Altitude,
    setpoint: Setpoint,
    throttle: Throttle,
    arming: Arming,
    pub(crate) guard: Guard,
    motors: Motors,
    pub(crate) mode: Mode,
    mission: Mission,
    pub(crate) path: Path,
    planner: Planner,
    battery: Battery,
    pub(crate) radio: Radio,
    pub(crate) parameters: Parameters,
    pub(crate) uplink: Uplink,
    rates: [HandRate; 5],
    /// The times of execution of the runs in real time.
    pub(crate) run_time: Histogram,
}

impl ByHand {
    pub(crate) fn new(script: &Script) -> Self {
        let vehicle = Rc::new(Cell::new(Vehicle::new()));
        Self {
            clock: Clock::new(),
            bus: Bus::new(vehicle.clone(), script.faults.clone()),
            vehicle,
            readings: Readings(Err(NoAnswer)),
            attitude: Attitude::default(),
            rotation: Rotation::default(),
            torque: Torque::default(),
            altitude: Altitude::default(),
            setpoint: Setpoint::default(),
            throttle: Throttle::default(),
            arming: Arming::default(),
            guard: Guard::default(),
            motors: Motors::default(),
            mode: Mode::Ready,
            mission: script.mission.clone(),
            path: Path::default(),
            planner: Planner::new(),
            battery: Battery {
                charge: script.charge,
            },
            radio: Radio::default(),
            parameters: Parameters::default(),
            uplink: script.uplink(),
            rates: [
                HandRate::new::<RateLoop>(script),
                HandRate::new::<TiltLoop>(script),
                HandRate::new::<AltitudeLoop>(script),
                HandRate::new::<Link>(script),
                HandRate::new::<Planning>(script),
            ],
            run_time: Histogram::default(),
        }
    }

    /// Flies in real time, from the time of the clock to this time.
    pub(crate) fn fly_until(&mut self, end: Duration) {
        let start = Instant::now() - self.clock.now();
        while self.clock.now() < end {
            let next = self
                .rates
                .iter()
                .map(HandRate::next_due)
                .min()
                .expect("there are rates");
            let left = next.saturating_sub(start.elapsed());
            if !left.is_zero() {
                std::thread::sleep(left);
            }
            let now = start.elapsed();
            self.run(now, || start.elapsed());
            self.run_time.add(start.elapsed() - now);
        }
    }

    /// Flies in simulated time, from the time of the clock to this time. Returns the time of the runs.
    pub(crate) fn simulate_until(&mut self, end: Duration) -> Duration {
        let mut elapsed = Duration::ZERO;
        let mut now = self.rates[0].next_due();
        while now <= end {
            self.planner.wait();
            let start = Instant::now();
            self.run(now, || now);
            elapsed += start.elapsed();
            now += TICK;
        }
        elapsed
    }

    /// One run of the loop. `time`: the current time, to measure deadlines.
    pub(crate) fn run(&mut self, now: Duration, time: impl Fn() -> Duration) {
        self.clock.advance_to(now);
        let clock = &self.clock;
        let [is_rate, is_tilt, is_altitude, is_link, is_planning] =
            self.rates.each_mut().map(|rate| rate.begin(now));
        self.planner.receive(&mut self.path);

        let mut bus = Some(NonSendMut::new(&mut self.bus));
        let has_failed = is_rate
            && (read_sensors(clock, bus.take(), &mut self.readings).is_err()
                || estimate_attitude(clock, &self.readings, &mut self.attitude).is_err());
        if is_altitude {
            self.run_altitude(has_failed);
            self.rates[2].end(false, &time);
        }
        let clock = &self.clock;
        if is_tilt {
            if !has_failed {
                control_tilt(&self.attitude, &self.parameters, &mut self.rotation);
            }
            self.rates[1].end(false, &time);
        }
        if is_rate {
            if !has_failed {
                let parameters = &self.parameters;
                control_rotation(&self.attitude, &self.rotation, parameters, &mut self.torque);
                mix(&self.throttle, &self.torque, &self.arming, &mut self.motors);
            }
            watch(has_failed, &self.arming, &mut self.guard, &mut self.motors);
            write_motors(&self.motors, Some(NonSendMut::new(&mut self.bus)));
            self.rates[0].end(has_failed, &time);
        }
        if is_planning {
            if !has_failed {
                self.planner.start((
                    clock.clone(),
                    self.setpoint.clone(),
                    self.mission.clone(),
                    self.path.clone(),
                ));
                drain_battery(&self.motors, &mut self.battery);
            }
            self.rates[4].end(false, &time);
        }
        if is_link {
            let (attitude, altitude) = (&self.attitude, &self.altitude);
            let radio = Some(&mut self.radio);
            send(clock, self.mode, attitude, altitude, &self.battery, radio);
            let reloaded = reload_parameters(clock, &mut self.uplink, &mut self.parameters);
            self.rates[3].end(reloaded.is_err(), &time);
        }
    }

    fn run_altitude(&mut self, has_failed: bool) {
        if !has_failed {
            estimate_altitude(&self.clock, &self.readings, &mut self.altitude);
        }
        let situation = Situation {
            clock: &self.clock,
            altitude: &self.altitude,
            guard: &self.guard,
            battery: &self.battery,
            parameters: &self.parameters,
            path: &self.path,
        };
        if let Some(mode) = situation.next_mode(self.mode) {
            self.mode = mode;
            match mode {
                Mode::Climb => arm(&mut self.arming),
                Mode::Landed => disarm(&mut self.arming),
                Mode::Ready | Mode::Cruise | Mode::Land => {}
            }
        }
        if !has_failed {
            let (parameters, setpoint) = (&self.parameters, &mut self.setpoint);
            match self.mode {
                Mode::Climb => climb(parameters, setpoint),
                Mode::Cruise => follow_path(&self.clock, &self.path, setpoint),
                Mode::Land => descend(parameters, setpoint),
                Mode::Ready | Mode::Landed => {}
            }
            control_altitude(&self.altitude, setpoint, parameters, &mut self.throttle);
        }
    }

    /// The results of all rates.
    pub(crate) fn lines(&self) -> Vec<Line> {
        self.rates.iter().map(|rate| rate.line.clone()).collect()
    }

    /// How often the results of the planner were not there in time.
    pub(crate) fn n_plans_late(&self) -> u64 {
        self.planner.n_late
    }
}
