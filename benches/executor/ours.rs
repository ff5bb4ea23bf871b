//! This project.

use std::sync::Arc;

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
}

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
        }
    }
}

impl Contender for Ours {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        temperature.sample(n_runs, || {
            let result = self.schedule.run(&mut self.resources);
            result.expect("no resource is missing, and no system fails");
        })
    }
}
