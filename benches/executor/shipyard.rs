//! `shipyard`, with its own executor.
//!
//! Its systems have no views. They get the orders as explicit ones between tags, with one tag for each system. The crate
//! divides the systems into batches, each of which ends before the next one begins. It runs inside of the pool, as it would
//! in its own pool.

use core::any::TypeId;
use std::sync::Arc;

use benches::temperature::Temperature;
use benches::work::Call;
use benches::workload::Workload;
use rayon::ThreadPool;
use shipyard::scheduler::{IntoWorkloadSystem, ScheduledWorkload, SystemModificator};
use shipyard::{Label, World};

use crate::contender::Contender;
use crate::pools::Pools;
use crate::types::{self, Visitor};

/// Names a system in orders.
#[derive(Label, Clone, Debug, PartialEq, Eq, Hash)]
struct Nth(usize);

pub(crate) struct Shipyard {
    pool: Arc<ThreadPool>,
    scheduled: ScheduledWorkload,
    world: World,
}

impl Shipyard {
    pub(crate) fn new(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        let mut ids = Ids::default();
        types::each(&mut ids);
        let mut after = vec![Vec::new(); calls.len()];
        for (first, then) in workload.orders.pairs() {
            after[then].push(first);
        }
        let mut scheduled = shipyard::Workload::new("workload");
        for (system_idx, call) in calls.iter().enumerate() {
            let call = Call::clone(call);
            let mut system = (move || call())
                .into_workload_system()
                .expect("it has no views")
                .tag(Nth(system_idx));
            // Systems of one type would be one system, the first.
            system.type_id = ids.0[system_idx];
            for &first in &after[system_idx] {
                system = system.after_all(Nth(first));
            }
            scheduled = scheduled.with_system(system);
        }
        let (scheduled, _) = scheduled.build().expect("the orders have no cycle");
        Self {
            pool: Arc::clone(&pools.peers),
            scheduled,
            world: World::new(),
        }
    }
}

impl Contender for Shipyard {
    fn name(&self) -> &'static str {
        "shipyard"
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        temperature.sample(n_runs, || {
            let result = self
                .pool
                .install(|| self.scheduled.run_with_world(&self.world));
            result.expect("nothing is borrowed");
        })
    }
}

/// `ids[i]`: the identity of system i.
#[derive(Default)]
struct Ids(Vec<TypeId>);

impl Visitor for Ids {
    fn visit<T: 'static>(&mut self) {
        self.0.push(TypeId::of::<T>());
    }
}
