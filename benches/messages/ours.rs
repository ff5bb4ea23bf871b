//! This project: messages, a shared vector, and a fold.

use std::sync::Arc;

use rayon::ThreadPoolBuilder;
use schedule::columns::{ColumnRef, Columns};
use schedule::entity::Component;
use schedule::prelude::*;
use schedule::{Builder, Executor, Policy};

use crate::contender::Traffic;
use crate::workload::{Hit, Load, N_READERS, Workload};

/// The work of each writer.
#[derive(Resource)]
struct Work(Load);

/// The sum of a reader.
#[derive(Resource)]
struct Total<const READER: usize>(u64);

#[derive(Component, Clone, Copy)]
struct Target(u64);

#[derive(Columns)]
struct Agent {
    target: Target,
}

#[system]
fn write<const WRITER: usize>(work: &Work, mut messages: MessageWriter<Hit>) {
    for hit in work.0.hits(WRITER) {
        messages.write(hit);
    }
}

#[system(for_each = Columns<Agent>)]
fn write_each(target: &Target, mut messages: MessageWriter<Hit>) {
    messages.write(Hit::on(target.0));
}

#[system]
fn read<const READER: usize>(messages: MessageReader<Hit>, total: &mut Total<READER>) {
    let mut sum = total.0;
    messages
        .iter()
        .for_each(|hit| sum = sum.wrapping_add(hit.number()));
    total.0 = sum;
}

/// The messages of a run, as a vector.
#[derive(Resource, Default)]
struct HitList(Vec<Hit>);

impl Foldable for HitList {
    type Partial = Vec<Hit>;

    fn join(&mut self, mut partial: Vec<Hit>) {
        self.0.append(&mut partial);
    }
}

#[system]
fn clear(list: &mut HitList) {
    list.0.clear();
}

#[system]
fn push<const WRITER: usize>(work: &Work, list: &mut HitList) {
    for hit in work.0.hits(WRITER) {
        list.0.push(hit);
    }
}

#[system]
fn push_each(targets: ColumnRef<Agent, Target>, list: &mut HitList) {
    for target in &targets {
        list.0.push(Hit::on(target.0));
    }
}

#[system]
fn fold<const WRITER: usize>(work: &Work, mut list: Fold<HitList>) {
    for hit in work.0.hits(WRITER) {
        list.push(hit);
    }
}

#[system(for_each = Columns<Agent>)]
fn fold_each(target: &Target, mut list: Fold<HitList>) {
    list.push(Hit::on(target.0));
}

#[system]
fn look<const READER: usize>(list: &HitList, total: &mut Total<READER>) {
    let mut sum = total.0;
    for hit in &list.0 {
        sum = sum.wrapping_add(hit.number());
    }
    total.0 = sum;
}

/// Adds the systems of all writers, or of all readers.
macro_rules! add_all {
    ($builder:expr, $system:ident: $($idx:literal)*) => {
        $builder$(.add::<$system<$idx>>())*
    };
}

pub(crate) fn of_messages(workload: Workload, executor: Executor) -> Box<dyn Traffic> {
    let mut builder = Schedule::builder();
    match workload {
        Workload::Writers(_) => add_all!(builder, write: 0 1 2 3 4 5 6 7),
        Workload::Entities(_) => builder.add::<write_each>(),
    };
    add_all!(builder, read: 0 1 2 3);
    Scheduled::of(builder, workload, executor)
}

pub(crate) fn of_vector(workload: Workload) -> Box<dyn Traffic> {
    let mut builder = Schedule::builder();
    builder.add::<clear>();
    match workload {
        Workload::Writers(_) => add_all!(builder, push: 0 1 2 3 4 5 6 7),
        Workload::Entities(_) => builder.add::<push_each>(),
    };
    add_all!(builder, look: 0 1 2 3);
    Scheduled::of(builder, workload, Executor::Auto)
}

pub(crate) fn of_fold(workload: Workload) -> Box<dyn Traffic> {
    let mut builder = Schedule::builder();
    builder.add::<clear>();
    match workload {
        Workload::Writers(_) => add_all!(builder, fold: 0 1 2 3 4 5 6 7),
        Workload::Entities(_) => builder.add::<fold_each>(),
    };
    add_all!(builder, look: 0 1 2 3);
    Scheduled::of(builder, workload, Executor::Auto)
}

struct Scheduled {
    schedule: Schedule,
    resources: Resources,
}

impl Scheduled {
    /// Conflicting systems run in insertion order.
    fn of(mut builder: Builder, workload: Workload, executor: Executor) -> Box<dyn Traffic> {
        let built = builder.policy(Policy::InsertionOrder).build();
        let mut schedule = built.expect("readers come after all writers");
        schedule.set_executor(executor);
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        schedule.set_pool(Arc::new(pool.expect("threads can be created")));
        let mut resources = Resources::new();
        match workload {
            Workload::Writers(load) => {
                resources.insert(Work(load));
            }
            Workload::Entities(n) => {
                let agents = (0..n).map(|target| Agent {
                    target: Target(target),
                });
                resources.insert(agents.collect::<Columns<Agent>>());
            }
        }
        resources.insert(Messages::<Hit>::new());
        resources.insert_default::<HitList>();
        resources.insert(Total::<0>(0));
        resources.insert(Total::<1>(0));
        resources.insert(Total::<2>(0));
        resources.insert(Total::<3>(0));
        Box::new(Self {
            schedule,
            resources,
        })
    }

    fn sum<const READER: usize>(&self) -> u64 {
        let total = self.resources.get::<Total<READER>>();
        total.expect("it was inserted").0
    }
}

impl Traffic for Scheduled {
    fn run(&mut self) {
        let result = self.schedule.run(&mut self.resources);
        result.expect("no resource is missing, and no system fails");
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
