//! Memory grows linearly with the contents of a schedule, and does not grow with past changes. The tests measure allocated bytes. Those of
//! folds depend on the threads that take part, up to a bound.

use std::sync::Arc;

use dhat::{HeapStats, Profiler};
use rayon::ThreadPoolBuilder;
use schedule::dynamic::DynamicSystem;
use schedule::entity::Component;
use schedule::fold::{Accumulators, Cells, Sum};
use schedule::prelude::*;
use schedule::{BuildError, Executor, columns::Columns};
use schedule_tests::child::Child;

/// Returns the bytes that `work` allocates, including freed ones.
fn allocated<T>(work: impl FnOnce() -> T) -> u64 {
    let _profiler = Profiler::builder().testing().build();
    work();
    HeapStats::get().total_bytes
}

/// Checks that twice the size needs about twice the memory. Quadratic growth would need four times the memory.
#[track_caller]
fn assert_about_linear(n: usize, work: impl Fn(usize)) {
    let [one, twice] = [n, 2 * n].map(|n| allocated(|| work(n)));
    let ratio = twice as f64 / one as f64;
    assert!(
        ratio < 2.6,
        "work of twice the size allocates {ratio:.2} times as much: {one} and {twice} bytes"
    );
}

fn system(name: impl Into<String>) -> DynamicSystem {
    DynamicSystem::new(name, |_| ())
}

/// Makes two changes that leave the schedule as before.
fn add_and_remove(schedule: &mut Schedule) {
    let name = "comes and goes";
    schedule
        .change(|builder| builder.add_dynamic(system(name)))
        .unwrap();
    schedule.change(|builder| builder.remove(name)).unwrap();
}

#[test]
fn memory_of_a_schedule_does_not_depend_on_past_changes() {
    let case = Child::new(|| {
        let mut schedule = Schedule::builder()
            .add_dynamic(system("stays"))
            .build()
            .unwrap();
        let _profiler = Profiler::builder().testing().build();
        let mut retained_after = |n_changes: usize| {
            for _ in 0..n_changes {
                add_and_remove(&mut schedule);
            }
            HeapStats::get().curr_bytes
        };
        // A list doubles its capacity from time to time.
        let [first, second] = [100, 400].map(&mut retained_after);
        let grown = second.saturating_sub(first);
        assert!(
            grown < 4096,
            "{grown} bytes more are retained after 400 more changes"
        );
    });
    case.run();
}

#[test]
fn cost_of_a_change_does_not_depend_on_past_changes() {
    let case = Child::new(|| {
        let mut schedule = Schedule::builder()
            .add_dynamic(system("stays"))
            .build()
            .unwrap();
        let mut allocated_by = |n_changes: usize| {
            let change = || {
                for _ in 0..n_changes {
                    add_and_remove(&mut schedule);
                }
            };
            allocated(change)
        };
        let [first, _, second] = [50, 400, 50].map(&mut allocated_by);
        assert!(
            second < 2 * first,
            "50 changes allocate {first} bytes, and {second} bytes after 400 others"
        );
    });
    case.run();
}

/// Returns a schedule of systems in a chain.
fn in_order(n: usize) -> Schedule {
    let mut builder = Schedule::builder();
    let mut before = None;
    for nth in 0..n {
        builder.add_dynamic(system(format!("s{nth}")));
        let this = builder.last().unwrap();
        if let Some(before) = before.replace(this) {
            builder.order(before, this);
        }
    }
    builder.build().unwrap()
}

#[test]
fn lock_of_twice_the_systems_takes_twice_the_memory() {
    let case = Child::new(|| {
        assert_about_linear_of(|schedule| schedule.lock().to_string());
    });
    case.run();
}

#[test]
fn report_of_twice_the_systems_takes_twice_the_memory() {
    let case = Child::new(|| {
        assert_about_linear_of(|schedule| schedule.report().to_string());
    });
    case.run();
}

/// Checks the text that is made from a schedule, see [`assert_about_linear`].
#[track_caller]
fn assert_about_linear_of(work: impl Fn(&Schedule) -> String) {
    const N: usize = 1_000;
    let [one, twice] = [N, 2 * N].map(in_order);
    assert_about_linear(N, |n| {
        let schedule = if n == N { &one } else { &twice };
        assert!(!work(schedule).is_empty());
    });
}

/// Returns the error for systems that all write one resource.
fn writers(n: usize) -> BuildError {
    let mut builder = Schedule::builder();
    for nth in 0..n {
        builder.add_dynamic(DynamicSystem::new(format!("writer {nth}"), |_| ()).writes("R"));
    }
    builder.build().unwrap_err()
}

#[test]
fn races_of_one_resource_take_memory_by_system_and_not_by_pair() {
    Child::new(|| {
        assert_about_linear(1_000, |n| {
            let text = writers(n).to_string();
            let n_pairs = n * (n - 1) / 2;
            assert!(
                text.contains(&format!("race on `R`, {n_pairs} pairs\n")),
                "{text}"
            );
        });
    })
    .run();
}

#[test]
fn many_races_are_counted_and_the_first_of_each_resource_are_listed() {
    Child::new(|| {
        let error = writers(1_000);
        assert_eq!(error.n_races(), 1_000 * 999 / 2);
        let listed = error
            .races()
            .map(|race| (&*race.first.name, &*race.second.name));
        let listed: Vec<(&str, &str)> = listed.collect();
        let names: Vec<String> = (1..=20).map(|nth| format!("writer {nth}")).collect();
        let first: Vec<(&str, &str)> = names.iter().map(|name| ("writer 0", &**name)).collect();
        assert_eq!(listed, first);
        let text = error.to_string();
        assert!(
            text.starts_with("499500 problems in schedule"),
            "the races are not counted: {text}"
        );
        assert!(
            text.contains("499500 races in all, on 1 resources; the first 20 are shown"),
            "{text}"
        );
        let orders = error
            .remedy()
            .unwrap()
            .orders()
            .iter()
            .map(|order| (order.first_node, order.then_node));
        let mut builder = Schedule::builder();
        for nth in 0..1_000 {
            builder.add_dynamic(DynamicSystem::new(format!("writer {nth}"), |_| ()).writes("R"));
        }
        for (first, then) in orders {
            builder.order(first, then);
        }
        assert!(builder.build().is_ok());
    })
    .run();
}

const N_CELLS: usize = 1 << 16;

#[derive(Component)]
struct Cell(usize);

#[derive(Columns)]
struct Agent {
    cell: Cell,
}

/// The number of agents in each cell.
#[derive(Resource)]
struct Field(Vec<u64>);

impl Foldable for Field {
    type Partial = Cells<Sum<u64>>;
    const ACCUMULATORS: Accumulators<Self::Partial> = Accumulators::per_thread();

    fn join(&mut self, partial: Self::Partial) {
        for (cell, sum) in self.0.iter_mut().zip(partial) {
            *cell += sum.into_inner();
        }
    }
}

/// The number of agents, with a partial result for each block of rows.
#[derive(Resource)]
struct Count(u64);

impl Foldable for Count {
    type Partial = u64;

    fn join(&mut self, partial: u64) {
        self.0 += partial;
    }
}

#[system(for_each = Columns<Agent>)]
fn enter(cell: &Cell, mut field: Fold<Field>) {
    field[cell.0] += 1;
}

#[system(for_each = Columns<Agent>)]
fn enter_and_count(cell: &Cell, mut field: Fold<Field>, mut count: Fold<Count>) {
    field[cell.0] += 1;
    *count += 1;
}

/// The bytes of a vector that has grown to the size of the field by doubling its capacity, with the copy of its last growth.
const LARGEST_FIELD: usize = 3 * N_CELLS * size_of::<u64>();

/// Each execution has more than 100 blocks of rows, and more than 10 chunks.
#[test]
fn fold_into_a_field_needs_a_field_for_each_thread() {
    let case = Child::new(|| {
        for n_threads in [1, 2, 4] {
            let mut schedule = Schedule::builder()
                .add::<enter>()
                .add::<enter_and_count>()
                .build()
                .unwrap();
            schedule.set_executor(Executor::Parallel);
            let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
            schedule.set_pool(Arc::new(pool.unwrap()));
            let mut resources = Resources::new();
            let agents = (0..60_000).map(|nth| Agent {
                cell: Cell((nth * 7919) % N_CELLS),
            });
            resources.insert(agents.collect::<Columns<Agent>>());
            resources.insert(Field(vec![0; N_CELLS]));
            resources.insert(Count(0));
            let _profiler = Profiler::builder().testing().build();
            for n_runs in 1..=5_u64 {
                schedule.run(&mut resources).unwrap();
                let field = &resources.get::<Field>().unwrap().0;
                assert_eq!(field.iter().sum::<u64>(), 120_000 * n_runs);
                assert_eq!(resources.get::<Count>().unwrap().0, 60_000 * n_runs);
            }
            // Of each system: the accumulators of threads, and a joined one, or one of the next run.
            let most = 2 * (n_threads + 1) * LARGEST_FIELD;
            let peak = HeapStats::get().max_bytes;
            assert!(peak < most, "{peak} bytes on {n_threads} threads");
        }
    });
    case.run();
}
