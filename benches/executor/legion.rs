//! `legion`, with its own executor.
//!
//! It only orders systems with conflicting accesses, in insertion order. So each system with successors declares a write of
//! a separate resource, which its successors declare to read. This results in exactly the orders of the workload. Systems
//! declare these accesses manually and fetch nothing.
#![expect(
    unsafe_code,
    reason = "a system of `legion` is run by an `unsafe` function"
)]

use std::sync::Arc;

use benches::temperature::Temperature;
use benches::work::Call;
use benches::workload::Workload;
use legion::storage::ComponentTypeId;
use legion::systems::{
    CommandBuffer, ResourceTypeId, Resources, Runnable, Schedule, SystemId, UnsafeResources,
};
use legion::world::{ArchetypeAccess, World, WorldId};
use rayon::ThreadPool;

use crate::contender::Contender;
use crate::pools::Pools;
use crate::types::{self, Visitor};

pub(crate) struct Legion {
    pool: Arc<ThreadPool>,
    schedule: Schedule,
    world: World,
    resources: Resources,
}

impl Legion {
    pub(crate) fn new(workload: &Workload, calls: &[Call], pools: &Pools) -> Self {
        let mut ids = Ids::default();
        types::each(&mut ids);
        let mut systems: Vec<System> = calls.iter().map(System::new).collect();
        for (first, then) in workload.orders.pairs() {
            systems[first].writes = vec![ids.0[first]];
            systems[then].reads.push(ids.0[first]);
        }
        let mut schedule = Schedule::builder();
        for system in systems {
            schedule.add_system(system);
        }
        Self {
            pool: Arc::clone(&pools.peers),
            schedule: schedule.build(),
            world: World::default(),
            resources: Resources::default(),
        }
    }
}

impl Contender for Legion {
    fn name(&self) -> &'static str {
        "legion"
    }

    fn sample(&mut self, temperature: Temperature, n_runs: u32) -> Vec<f64> {
        let Self {
            pool,
            schedule,
            world,
            resources,
        } = self;
        temperature.sample(n_runs, || {
            schedule.execute_in_thread_pool(world, resources, pool);
        })
    }
}

struct System {
    call: Call,
    reads: Vec<ResourceTypeId>,
    writes: Vec<ResourceTypeId>,
}

impl System {
    fn new(call: &Call) -> Self {
        Self {
            call: Call::clone(call),
            reads: Vec::new(),
            writes: Vec::new(),
        }
    }
}

impl Runnable for System {
    fn name(&self) -> Option<&SystemId> {
        None
    }

    fn reads(&self) -> (&[ResourceTypeId], &[ComponentTypeId]) {
        (&self.reads, &[])
    }

    fn writes(&self) -> (&[ResourceTypeId], &[ComponentTypeId]) {
        (&self.writes, &[])
    }

    fn prepare(&mut self, _: &World) {}

    fn accesses_archetypes(&self) -> &ArchetypeAccess {
        // Only called for systems that access components.
        &ArchetypeAccess::All
    }

    // The caller fulfils the contract. This function uses neither argument.
    unsafe fn run_unsafe(&mut self, _: &World, _: &UnsafeResources) {
        (self.call)();
    }

    fn command_buffer_mut(&mut self, _: WorldId) -> Option<&mut CommandBuffer> {
        None
    }
}

/// `ids[i]`: the resource that system i declares to write.
#[derive(Default)]
struct Ids(Vec<ResourceTypeId>);

impl Visitor for Ids {
    fn visit<T: 'static>(&mut self) {
        self.0.push(ResourceTypeId::of::<T>());
    }
}
