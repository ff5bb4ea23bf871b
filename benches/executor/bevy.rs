//! `bevy_ecs`, with its own executors.
//!
//! Its systems get all orders explicitly, also those between conflicting systems, and declare no access. The other
//! contenders produce the result of the serial loop, so this one must respect the same orders. With declared accesses it
//! could order conflicting systems freely, but it would also have to compare accesses during a run.

use benches::temperature::Temperature;
use benches::work::Call;
use benches::workload::Workload;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{
    LogLevel, MultiThreadedExecutor, ScheduleBuildSettings, SingleThreadedExecutor,
};

use crate::contender::Contender;

/// A set for each system, to name it in orders.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
struct Nth(usize);

pub(crate) struct Bevy {
    name: &'static str,
    schedule: Schedule,
    world: World,
}

impl Bevy {
    pub(crate) fn single(workload: &Workload, calls: &[Call]) -> Self {
        let mut schedule = declared(workload, calls);
        schedule.set_executor(SingleThreadedExecutor::new());
        Self::new("bevy_ecs single", schedule)
    }

    pub(crate) fn multi(workload: &Workload, calls: &[Call]) -> Self {
        let mut schedule = declared(workload, calls);
        schedule.set_executor(MultiThreadedExecutor::new());
        Self::new("bevy_ecs multi", schedule)
    }

    fn new(name: &'static str, mut schedule: Schedule) -> Self {
        let mut world = World::new();
        schedule
            .initialize(&mut world)
            .expect("the orders have no cycle");
        Self {
            name,
            schedule,
            world,
        }
    }
}

impl Contender for Bevy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        temperature.sample(n_runs, || self.schedule.run(&mut self.world))
    }
}

fn declared(workload: &Workload, calls: &[Call]) -> Schedule {
    let mut schedule = Schedule::default();
    schedule.set_build_settings(ScheduleBuildSettings {
        ambiguity_detection: LogLevel::Ignore,
        ..Default::default()
    });
    for (system_idx, call) in calls.iter().enumerate() {
        let call = Call::clone(call);
        schedule.add_systems((move || call()).in_set(Nth(system_idx)));
    }
    for (first, then) in workload.orders.pairs() {
        schedule.configure_sets(Nth(first).before(Nth(then)));
    }
    schedule
}
