//! `shred`, with its own dispatcher.
//!
//! Its systems access nothing. They get the orders as dependencies by name. The crate divides the systems into stages, each
//! of which ends before the next one begins. A stage has groups of up to five systems that run one after the other. Systems
//! can declare one of five durations, by which groups are balanced. The heavy systems do so.

use std::sync::Arc;

use benches::temperature::Temperature;
use benches::work::Call;
use benches::workload::Workload;
use shred::{Dispatcher, DispatcherBuilder, RunningTime, World};

use crate::contender::Contender;
use crate::pools::Pools;

pub(crate) struct Shred {
    name: &'static str,
    dispatch: fn(&mut Dispatcher<'static, 'static>, &World),
    dispatcher: Dispatcher<'static, 'static>,
    world: World,
}

impl Shred {
    pub(crate) fn sequential(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        let mut shred = Self::parallel(workload, calls, pools);
        shred.name = "shred sequential";
        shred.dispatch = |dispatcher, world| dispatcher.dispatch_seq(world);
        shred
    }

    pub(crate) fn parallel(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        let names: Vec<String> = (0..calls.len()).map(|idx| idx.to_string()).collect();
        let mut after = vec![Vec::new(); calls.len()];
        for (first, then) in workload.orders.pairs() {
            after[then].push(names[first].as_str());
        }
        let mut dispatcher = DispatcherBuilder::new().with_pool(Arc::clone(&pools.peers));
        for (system_idx, call) in calls.iter().enumerate() {
            let system = System {
                call: Call::clone(call),
                is_heavy: workload.weights[system_idx][0] > 1,
            };
            dispatcher.add(system, &names[system_idx], &after[system_idx]);
        }
        Self {
            name: "shred parallel",
            dispatch: |dispatcher, world| dispatcher.dispatch_par(world),
            dispatcher: dispatcher.build(),
            world: World::empty(),
        }
    }
}

impl Contender for Shred {
    fn name(&self) -> &'static str {
        self.name
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        temperature.sample(n_runs, || {
            (self.dispatch)(&mut self.dispatcher, &self.world);
        })
    }
}

struct System {
    call: Call,
    /// The declared duration, for the costs of the first scene. It cannot change later.
    is_heavy: bool,
}

impl<'a> shred::System<'a> for System {
    type SystemData = ();

    fn run(&mut self, (): ()) {
        (self.call)();
    }

    fn running_time(&self) -> RunningTime {
        if self.is_heavy {
            RunningTime::VeryLong
        } else {
            RunningTime::VeryShort
        }
    }
}
