//! Flights with a driver, in real time and in simulated time.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::Path as FilePath;
use std::rc::Rc;
use std::time::{Duration, Instant};

use schedule::driver::{SimulatedTimer, Timer};
use schedule::prelude::*;
use schedule::report::Histogram;
use schedule::spanning::Spanning;
use schedule::{Driver, Rate};

use crate::Controller;
use crate::altitude::{Altitude, Setpoint, Throttle};
use crate::attitude::{Attitude, Readings, Rotation, Torque};
use crate::device::{Bus, NoAnswer};
use crate::ground::{Battery, Radio};
use crate::log;
use crate::mode::Mode;
use crate::motors::{Arming, Guard, Motors};
use crate::parameters::Parameters;
use crate::planner::{Path, RUNS_TO_RESULTS, plan};
use crate::rates::{AltitudeLoop, Link, Planning, RateLoop, Rated, RunPeriods, TiltLoop};
use crate::report::Line;
use crate::script::Script;
use crate::turn::Turn;
use crate::vehicle::Vehicle;

/// A controller with a driver.
pub(crate) struct Flight<T> {
    driver: Driver<T>,
    pub(crate) resources: Resources,
    pub(crate) vehicle: Rc<Cell<Vehicle>>,
}

impl<T: Timer> Flight<T> {
    /// A flight on this thread, with the bus.
    pub(crate) fn new(script: &Script, timer: T) -> Self {
        let vehicle = Rc::new(Cell::new(Vehicle::new()));
        let mut resources = new_resources(script);
        let bus = Bus::new(vehicle.clone(), script.faults.clone());
        resources.main_thread().insert(bus);
        let controller = Controller::new();
        // The watchdog handles the failures.
        let driver =
            Driver::with_timer(controller, timer).on_error(|_, _| ControlFlow::Continue(()));
        Self {
            driver,
            resources,
            vehicle,
        }
    }

    /// Measures the systems of each rate. They miss their deadline if they end after the next due time.
    pub(crate) fn with_deadlines(mut self) -> Self {
        fn add<M: Rated>(resources: &mut Resources) {
            resources.insert(M::rate().deadline(M::period()));
        }
        add::<RateLoop>(&mut self.resources);
        add::<TiltLoop>(&mut self.resources);
        add::<AltitudeLoop>(&mut self.resources);
        add::<Link>(&mut self.resources);
        add::<Planning>(&mut self.resources);
        self
    }

    /// Writes a log to this file, until the end of the flight.
    pub(crate) fn with_log(mut self, file: &FilePath) -> Result<Self, BoxError> {
        let mut recorder = log::recorder(file, self.driver.schedule())?;
        let record = move |schedule: &mut Schedule, resources: &mut Resources| {
            recorder.run(schedule, resources)
        };
        self.driver = self.driver.with_run(record);
        Ok(self)
    }

    /// Ends at this time.
    fn set_turn(&mut self, end: Duration) {
        let turn = Turn::until(end);
        self.driver.set_stop_token(turn.stop.clone());
        self.resources.insert(turn);
    }

    /// Flies until this time.
    pub(crate) fn fly_until(&mut self, end: Duration) -> Result<(), BoxError> {
        self.set_turn(end);
        Ok(self.driver.run(&mut self.resources)?)
    }

    pub(crate) fn get<R: Resource>(&self) -> &R {
        self.resources.get().expect("a flight has all resources")
    }

    /// The times of execution of the runs.
    pub(crate) fn run_time(&self) -> Histogram {
        self.driver.stats().run_time
    }

    /// The results of all rates.
    pub(crate) fn lines(&self) -> Vec<Line> {
        vec![
            self.line::<RateLoop>(),
            self.line::<TiltLoop>(),
            self.line::<AltitudeLoop>(),
            self.line::<Link>(),
            self.line::<Planning>(),
        ]
    }

    fn line<M: Rated>(&self) -> Line {
        let rate = self.get::<Rate<M>>();
        let counts = rate.counts();
        // Each due time before the next one must have an outcome.
        let n_due = rate.next_due().as_nanos() / rate.period().as_nanos();
        assert_eq!(u128::from(counts.total()), n_due, "{}", M::LABEL);
        assert!(rate.next_due() > self.get::<Clock>().now(), "{}", M::LABEL);
        Line {
            n_due: counts.total(),
            n_late: counts.late,
            n_skipped: counts.skipped,
            n_failed: counts.failed,
            n_deadline_missed: rate.run_times().n_deadline_missed,
            ..Line::new(M::LABEL, self.get::<RunPeriods<M>>().0.clone())
        }
    }
}

impl Flight<SimulatedTimer> {
    pub(crate) fn simulated(script: &Script) -> Self {
        Self::new(script, SimulatedTimer::new())
    }

    /// Flies until this time. The planner is always done in time. Returns the time of the steps of the driver.
    pub(crate) fn simulate_until(&mut self, end: Duration) -> Result<Duration, BoxError> {
        self.set_turn(end);
        let mut elapsed = Duration::ZERO;
        loop {
            let start = Instant::now();
            let left = self.driver.run_if_due(&mut self.resources)?;
            elapsed += start.elapsed();
            let Some(left) = left else {
                return Ok(elapsed);
            };
            self.driver.timer().advance(left);
            if let Some(plan) = self.resources.get_mut::<Spanning<plan>>() {
                plan.wait();
            }
        }
    }
}

/// Returns the resources of a flight, without a bus.
pub(crate) fn new_resources(script: &Script) -> Resources {
    fn insert_rate<M: Rated>(resources: &mut Resources, script: &Script) {
        resources.insert(M::rate());
        resources.insert(RunPeriods::<M>::new(script.length));
    }
    let mut resources = Resources::new();
    resources.insert(Clock::new());
    insert_rate::<RateLoop>(&mut resources, script);
    insert_rate::<TiltLoop>(&mut resources, script);
    insert_rate::<AltitudeLoop>(&mut resources, script);
    insert_rate::<Link>(&mut resources, script);
    insert_rate::<Planning>(&mut resources, script);
    resources.insert(Readings(Err(NoAnswer)));
    resources.insert_default::<Attitude>();
    resources.insert_default::<Rotation>();
    resources.insert_default::<Torque>();
    resources.insert_default::<Altitude>();
    resources.insert_default::<Setpoint>();
    resources.insert_default::<Throttle>();
    resources.insert_default::<Arming>();
    resources.insert_default::<Guard>();
    resources.insert_default::<Motors>();
    resources.insert_state(Mode::Ready);
    resources.insert(script.mission.clone());
    resources.insert_default::<Path>();
    resources.insert(Spanning::<plan>::new().appear_after(RUNS_TO_RESULTS));
    resources.insert(Battery {
        charge: script.charge,
    });
    resources.insert_default::<Radio>();
    resources.insert_default::<Parameters>();
    resources.insert(script.uplink());
    resources.insert_default::<Turn>();
    resources
}
