//! The contenders: loops, and folds into a field.

use std::sync::Arc;
use std::time::Instant;

use bench_report::Role;
use rayon::ThreadPoolBuilder;
use schedule::columns::{ColumnRef, Columns};
use schedule::entity::Component;
use schedule::fold::{Accumulators, Cells, Sum};
use schedule::{Executor, System, prelude::*};
use schedule_hecs::World;

/// The number of entities.
pub(crate) const N_ENTITIES: u32 = 100_000;

/// The width and the height of the field.
pub(crate) const SIDE: usize = 256;

/// A contender in the comparison.
pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) role: Role,
    pub(crate) about: &'static str,
    /// Creates its entities and its field.
    pub(crate) of: fn() -> Box<dyn Deposit>,
}

/// Entities, and a field to which each adds.
pub(crate) trait Deposit {
    /// Adds all entities to the field once.
    fn run(&mut self);

    /// Returns the sums of all cells.
    fn field(&self) -> &[u32];
}

/// The baseline.
pub(crate) const PLAIN: &str = "plain loop";
pub(crate) const SERIAL: &str = "per thread";
pub(crate) const HECS: &str = "per thread, `World`";
pub(crate) const BLOCKS: &str = "per block";

/// All contenders. The baseline comes first.
pub(crate) const ALL: &[Contender] = &[
    Contender {
        name: PLAIN,
        role: Role::Baseline,
        about: "over a vector, into a vector",
        of: || Box::new(PlainLoop::new()),
    },
    Contender {
        name: "system with a loop",
        role: Role::Variant,
        about: "takes `&mut Field`, and loops over a column",
        of: || Scheduled::<PER_THREAD>::of::<loop_over_all>(Executor::Serial, add_columns),
    },
    Contender {
        name: SERIAL,
        role: Role::Ours,
        about: "`Accumulators::per_thread`, `Columns`, one thread",
        of: || Scheduled::<PER_THREAD>::of::<deposit>(Executor::Serial, add_columns),
    },
    Contender {
        name: HECS,
        role: Role::Variant,
        about: "the same with a `World`",
        of: || Scheduled::<PER_THREAD>::of::<deposit_in_world>(Executor::Serial, add_world),
    },
    Contender {
        name: "per thread, two threads",
        role: Role::Variant,
        about: "the same with `Columns`, and a helper",
        of: || Scheduled::<PER_THREAD>::of::<deposit>(Executor::Parallel, add_columns),
    },
    Contender {
        name: BLOCKS,
        role: Role::Variant,
        about: "`Accumulators::per_block`, a vector as partial result, one thread",
        of: || Scheduled::<PER_BLOCK>::of::<deposit_by_blocks>(Executor::Serial, add_columns),
    },
];

#[derive(Component, Clone, Copy)]
struct Position {
    x: f32,
    y: f32,
}

#[derive(Columns)]
struct Agent {
    position: Position,
}

impl Position {
    #[inline]
    fn cell(self) -> usize {
        self.y as usize * SIDE + self.x as usize
    }
}

/// Returns the positions of all entities, at random.
fn positions() -> impl Iterator<Item = Position> {
    let mut state = 1_u64;
    let mut coordinate = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 40) as f32 / (1_u64 << 24) as f32 * SIDE as f32
    };
    (0..N_ENTITIES).map(move |_| Position {
        x: coordinate(),
        y: coordinate(),
    })
}

/// The sums of all cells.
#[derive(Resource)]
struct Field<const IS_PER_THREAD: bool>(Vec<u32>);

const PER_THREAD: bool = true;
const PER_BLOCK: bool = false;

impl Foldable for Field<PER_THREAD> {
    type Partial = Cells<Sum<u32>>;
    const ACCUMULATORS: Accumulators<Self::Partial> = Accumulators::per_thread();

    fn join(&mut self, partial: Self::Partial) {
        for (cell, sum) in self.0.iter_mut().zip(partial) {
            *cell += sum.into_inner();
        }
    }
}

impl Foldable for Field<PER_BLOCK> {
    type Partial = Vec<u32>;

    fn join(&mut self, partial: Self::Partial) {
        for (cell, sum) in self.0.iter_mut().zip(partial) {
            *cell += sum;
        }
    }
}

#[system]
fn loop_over_all(positions: ColumnRef<Agent, Position>, field: &mut Field<PER_THREAD>) {
    for position in &positions {
        field.0[position.cell()] += 1;
    }
}

#[system(for_each = Columns<Agent>)]
fn deposit(position: &Position, mut field: Fold<Field<PER_THREAD>>) {
    field[position.cell()] += 1;
}

#[system(for_each)]
fn deposit_in_world(position: &Position, mut field: Fold<Field<PER_THREAD>>) {
    field[position.cell()] += 1;
}

#[system(for_each = Columns<Agent>)]
fn deposit_by_blocks(position: &Position, mut field: Fold<Field<PER_BLOCK>>) {
    if field.is_empty() {
        field.resize(SIDE * SIDE, 0);
    }
    field[position.cell()] += 1;
}

struct PlainLoop {
    positions: Vec<Position>,
    field: Vec<u32>,
}

impl PlainLoop {
    fn new() -> Self {
        Self {
            positions: positions().collect(),
            field: vec![0; SIDE * SIDE],
        }
    }
}

impl Deposit for PlainLoop {
    fn run(&mut self) {
        for position in &self.positions {
            self.field[position.cell()] += 1;
        }
    }

    fn field(&self) -> &[u32] {
        &self.field
    }
}

/// A schedule with one system.
struct Scheduled<const IS_PER_THREAD: bool> {
    schedule: Schedule,
    resources: Resources,
}

fn add_columns(resources: &mut Resources) {
    let agents = positions().map(|position| Agent { position });
    resources.insert(agents.collect::<Columns<Agent>>());
}

fn add_world(resources: &mut Resources) {
    let mut world: World = World::new();
    world.spawn_batch(positions().map(|position| (position,)));
    resources.insert(world);
}

impl<const IS_PER_THREAD: bool> Scheduled<IS_PER_THREAD> {
    fn of<S: System>(executor: Executor, add_entities: fn(&mut Resources)) -> Box<dyn Deposit> {
        let built = Schedule::builder().add::<S>().build();
        let mut schedule = built.expect("a system alone is not rejected");
        schedule.set_executor(executor);
        let pool = ThreadPoolBuilder::new().num_threads(2).build();
        schedule.set_pool(Arc::new(pool.expect("threads can be created")));
        let mut resources = Resources::new();
        add_entities(&mut resources);
        resources.insert(Field::<IS_PER_THREAD>(vec![0; SIDE * SIDE]));
        Box::new(Self {
            schedule,
            resources,
        })
    }
}

impl<const IS_PER_THREAD: bool> Deposit for Scheduled<IS_PER_THREAD> {
    fn run(&mut self) {
        let result = self.schedule.run(&mut self.resources);
        result.expect("no resource is missing, and no system fails");
    }

    fn field(&self) -> &[u32] {
        let field = self.resources.get::<Field<IS_PER_THREAD>>();
        &field.expect("it was inserted").0
    }
}

/// Runs for at least 2 ms, and returns the time of one run in nanoseconds.
pub(crate) fn sample(deposit: &mut dyn Deposit) -> Vec<f64> {
    let start = Instant::now();
    let mut n_runs = 0;
    while start.elapsed().as_micros() < 2_000 {
        deposit.run();
        n_runs += 1;
    }
    vec![start.elapsed().as_nanos() as f64 / f64::from(n_runs)]
}
