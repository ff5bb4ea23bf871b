//! This project.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use benches::temperature::Temperature;
use benches::work::Call;
use benches::workload::Workload;
use schedule::{Executor, Resources, Schedule};

use crate::contender::Contender;
use crate::pools::Pools;

/// The contender that the targets refer to.
pub(crate) const AUTO: &str = "schedule auto";

/// A schedule from the builder, with the resources that its systems declare.
pub(crate) struct Ours {
    name: &'static str,
    schedule: Schedule,
    resources: Resources,
    /// The period that is set, or 0 before the first one. `None` if the schedule has none.
    period: Option<Duration>,
}

/// The number of runs of a sample at a steady rate. The first ones follow those of other contenders.
const N_STEADY: u32 = 4;

impl Ours {
    pub(crate) fn serial(workload: &Workload, calls: &[Call]) -> Self {
        let mut ours = Self::new("schedule serial", workload, calls);
        ours.schedule.set_executor(Executor::Serial);
        ours
    }

    pub(crate) fn parallel(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        let mut ours = Self::new("schedule parallel", workload, calls);
        ours.schedule.set_executor(Executor::Parallel);
        ours.schedule.set_pool(Arc::clone(&pools.ours));
        ours
    }

    /// The default executor.
    pub(crate) fn auto(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        let mut ours = Self::new(AUTO, workload, calls);
        ours.schedule.set_pool(Arc::clone(&pools.ours));
        ours
    }

    /// The default executor, with the period of the runs. Needs several runs for one figure.
    pub(crate) fn periodic(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        Self {
            name: "schedule auto, period",
            period: Some(Duration::ZERO),
            ..Self::auto(workload, calls, pools)
        }
    }

    /// The time of the last of some runs that begin at a steady rate.
    fn sample_periodic(&mut self, pause: Duration) -> Vec<f64> {
        let mut took = Duration::ZERO;
        for _ in 0..N_STEADY {
            thread::sleep(pause.saturating_sub(took));
            let start = Instant::now();
            self.run();
            took = start.elapsed();
        }
        vec![took.as_secs_f64() * 1e9]
    }

    fn run(&mut self) {
        let result = self.schedule.run(&mut self.resources);
        result.expect("no resource is missing, and no system fails");
    }

    fn new(name: &'static str, workload: &Workload, calls: &[Call]) -> Self {
        let schedule = workload.declare(calls).build();
        let mut resources = Resources::new();
        for name in workload.resources() {
            resources.insert_named(name, ());
        }
        Self {
            name,
            schedule: schedule.expect("races run in insertion order"),
            resources,
            period: None,
        }
    }
}

impl Contender for Ours {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        let pause = match (temperature, self.period) {
            // Runs without a pause have no period.
            (Temperature::Cold { idle_ms }, Some(set)) if idle_ms > 0 => {
                let pause = Duration::from_millis(idle_ms);
                if set != pause {
                    self.period = Some(pause);
                    self.schedule.set_period(pause);
                }
                pause
            }
            _ => return temperature.sample(n_runs, || self.run()),
        };
        self.sample_periodic(pause)
    }
}
