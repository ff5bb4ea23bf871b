//! This project.

use std::sync::Arc;

use schedule::{Builder, DynamicSystem, Executor, Policy, Resources, Schedule, View};

use crate::contender::Contender;
use crate::pools::Pools;
use crate::temperature::Temperature;
use crate::work::Call;
use crate::workload::{Declared, Workload};

/// The contender that the bars are about.
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

    /// With the executor that a schedule has by itself.
    pub(crate) fn auto(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        let mut ours = Self::new(AUTO, workload, calls);
        ours.schedule.set_pool(Arc::clone(&pools.ours));
        ours
    }

    fn new(name: &'static str, workload: &Workload, calls: &[Call]) -> Self {
        let schedule = declare(workload, calls).build();
        let mut resources = Resources::new();
        for name in resources_of(workload) {
            resources.insert_named(name, ());
        }
        Self {
            name,
            schedule: schedule.expect("races run as added"),
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
            result.expect("nothing is missing, and nothing fails");
        })
    }
}

fn declare(workload: &Workload, calls: &[Call]) -> Builder {
    let call_of = |system_idx: usize| {
        let call = Call::clone(&calls[system_idx]);
        move |_: &mut View<'_>| call()
    };
    match &workload.declared {
        Declared::Orders => {
            let mut builder = Schedule::builder();
            let mut nodes = Vec::with_capacity(calls.len());
            for system_idx in 0..calls.len() {
                builder.add_dynamic(DynamicSystem::new("system", call_of(system_idx)));
                nodes.extend(builder.last());
            }
            for (first, then) in workload.orders.pairs() {
                builder.order(nodes[first], nodes[then]);
            }
            builder
        }
        Declared::Accesses(graph) => graph.declare(call_of),
        Declared::Engine(graph) => graph.declare_calls(Policy::AsAdded, call_of),
    }
}

fn resources_of(workload: &Workload) -> Vec<&str> {
    match &workload.declared {
        Declared::Orders => Vec::new(),
        Declared::Accesses(graph) => graph.resources.iter().map(String::as_str).collect(),
        Declared::Engine(graph) => graph.resources().into_iter().collect(),
    }
}
