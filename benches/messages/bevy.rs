//! `bevy_ecs`: its messages, which are updated at the start of each run.

use bevy_ecs::message::{MessageRegistry, message_update_system};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor};
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};

use crate::contender::Traffic;
use crate::workload::{Hit, Load, N_READERS, Workload};

/// The executor.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Threads {
    One,
    Many,
}

/// The work of each writer.
#[derive(Resource)]
struct Work(Load);

/// The sum of a reader.
#[derive(Resource)]
struct Total<const READER: usize>(u64);

#[derive(Component)]
struct Target(u64);

fn write<const WRITER: usize>(work: Res<Work>, mut messages: MessageWriter<Hit>) {
    for hit in work.0.hits(WRITER) {
        messages.write(hit);
    }
}

fn write_all(targets: Query<&Target>, mut messages: MessageWriter<Hit>) {
    for target in &targets {
        messages.write(Hit::on(target.0));
    }
}

fn read<const READER: usize>(mut messages: MessageReader<Hit>, mut total: ResMut<Total<READER>>) {
    let mut sum = total.0;
    for hit in messages.read() {
        sum = sum.wrapping_add(hit.number());
    }
    total.0 = sum;
}

struct Bevy {
    world: World,
    schedule: Schedule,
}

pub(crate) fn of(workload: Workload, threads: Threads) -> Box<dyn Traffic> {
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(2).build());
    let mut world = World::new();
    MessageRegistry::register_message::<Hit>(&mut world);
    world.insert_resource(Total::<0>(0));
    world.insert_resource(Total::<1>(0));
    world.insert_resource(Total::<2>(0));
    world.insert_resource(Total::<3>(0));
    let mut schedule = Schedule::default();
    match threads {
        Threads::One => schedule.set_executor(SingleThreadedExecutor::new()),
        Threads::Many => schedule.set_executor(MultiThreadedExecutor::new()),
    };
    let readers = (read::<0>, read::<1>, read::<2>, read::<3>);
    match workload {
        Workload::Writers(load) => {
            world.insert_resource(Work(load));
            let first = (write::<0>, write::<1>, write::<2>, write::<3>);
            let last = (write::<4>, write::<5>, write::<6>, write::<7>);
            schedule.add_systems((message_update_system, (first, last), readers).chain());
        }
        Workload::Entities(n) => {
            world.spawn_batch((0..n).map(Target));
            schedule.add_systems((message_update_system, write_all, readers).chain());
        }
    }
    Box::new(Bevy { world, schedule })
}

impl Bevy {
    fn sum<const READER: usize>(&self) -> u64 {
        self.world.resource::<Total<READER>>().0
    }
}

impl Traffic for Bevy {
    fn run(&mut self) {
        self.schedule.run(&mut self.world);
    }

    fn sums(&self) -> [u64; N_READERS] {
        [
            self.sum::<0>(),
            self.sum::<1>(),
            self.sum::<2>(),
            self.sum::<3>(),
        ]
    }
}
