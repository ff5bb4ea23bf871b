//! The number of instructions of a run. Other programs on the machine cannot disturb this measurement.
//!
//! Run `ci/instructions.sh`, or `cargo bench -p instructions` if valgrind and the runner are installed.
//!
//! The systems are empty, with one boxed call each, so only the overhead of the schedule is counted. The plain loop over the
//! same calls is counted too. Valgrind runs one thread at a time, and the number of polls between threads would be random. So
//! there are no helpers.
//!
//! The default executor measures the costs of its systems from time to time. Its clock continues under valgrind while other
//! programs use the processor, which makes runs seem long. So its limit is wide.
//!
//! A benchmark fails if it exceeds its limit. A change that makes a run cheaper must lower the limit. Raising it needs a
//! reason.

#![expect(missing_docs, reason = "the macros of the harness make public items")]

use benches::random_graph::{Policy, RandomGraph};
use gungraun::prelude::*;
use gungraun::{Callgrind, EventKind};
use rayon::ThreadPoolBuilder;
use schedule::dynamic::{DynamicSystem, View};
use schedule::{Builder, Condition, Executor, Resources, Schedule};
use std::hint::black_box;
use std::sync::Arc;

const N_SYSTEMS: usize = 100;
const N_RUNS: u64 = 1_000;

/// The maximum number of instructions of `N_RUNS` runs, computed from those of a system, including its call, and of a run.
fn limit(each: u64, run: u64) -> LibraryBenchmarkConfig {
    let n_instructions = N_RUNS * (N_SYSTEMS as u64 * each + run);
    let mut callgrind = Callgrind::default();
    callgrind.hard_limits([(EventKind::Ir, n_instructions)]);
    let mut config = LibraryBenchmarkConfig::default();
    config.tool(callgrind);
    config
}

type Call = Box<dyn Fn() + Send + Sync>;

fn call() -> Call {
    Box::new(|| {
        black_box(());
    })
}

fn calls() -> Vec<Call> {
    (0..N_SYSTEMS).map(|_| call()).collect()
}

/// A schedule that has run before, so that its mode no longer changes.
struct Ready {
    schedule: Schedule,
    resources: Resources,
}

impl Ready {
    fn new(mut builder: Builder, names: &[String], executor: Option<Executor>) -> Self {
        let pool = ThreadPoolBuilder::new().num_threads(1).build();
        let mut schedule = builder.build().expect("races run in insertion order");
        schedule.set_pool(Arc::new(pool.expect("a thread can be created")));
        if let Some(executor) = executor {
            schedule.set_executor(executor);
        }
        let mut resources = Resources::new();
        for name in names {
            resources.insert_named(name, ());
        }
        let mut ready = Self {
            schedule,
            resources,
        };
        ready.run();
        ready
    }

    fn run(&mut self) {
        for _ in 0..N_RUNS {
            let result = self.schedule.run(&mut self.resources);
            result.expect("no resource is missing, and no system fails");
        }
    }
}

fn independent(executor: Option<Executor>) -> Ready {
    Ready::new(with_links(0), &[], executor)
}

fn chain(executor: Option<Executor>) -> Ready {
    Ready::new(with_links(N_SYSTEMS - 1), &[], executor)
}

fn on_20(executor: Option<Executor>) -> Ready {
    let graph = RandomGraph::random(N_SYSTEMS, 20, Policy::InsertionOrder);
    let builder = graph.declare(|_| {
        let call = call();
        move |_: &mut View<'_>| call()
    });
    Ready::new(builder, &graph.resources, executor)
}

/// Conditions that are true two times out of three. Each guards `n_guarded` systems.
fn guarded(n_guarded: usize) -> Ready {
    let mut builder = Schedule::builder();
    for condition in 0..N_SYSTEMS / (n_guarded + 1) {
        let name = format!("condition {condition}");
        let mut n_runs = condition;
        builder.add_closure(&*name, move || {
            n_runs += 1;
            !n_runs.is_multiple_of(3)
        });
        for _ in 0..n_guarded {
            builder
                .add_closure("system", || black_box(()))
                .run_if(Condition::added(&*name));
        }
    }
    Ready::new(builder, &[], Some(Executor::Serial))
}

/// Half of the nodes are conditions. Each system has a guard of two of them.
fn with_formulas() -> Ready {
    let mut builder = Schedule::builder();
    for condition in 0..N_SYSTEMS / 2 {
        let name = format!("condition {condition}");
        builder.add_closure(&*name, move || condition % 3 != 0);
        let before = format!("condition {}", condition.saturating_sub(1));
        builder
            .add_closure("system", || black_box(()))
            .run_if(Condition::added(&*name) & !Condition::added(&*before));
    }
    Ready::new(builder, &[], Some(Executor::Serial))
}

/// A loop runs a tenth of the systems 10 times.
fn with_loop() -> Ready {
    let mut builder = Schedule::builder();
    let mut n_asked = 0;
    let is_open = move || {
        n_asked += 1;
        n_asked % 11 != 0
    };
    builder.repeat_while_closure("is_open", is_open, |body| {
        for _ in 0..N_SYSTEMS / 10 {
            body.add_closure("system", || black_box(()));
        }
        body
    });
    Ready::new(builder, &[], Some(Executor::Serial))
}

/// Orders each of the first systems before the next one.
fn with_links(n_links: usize) -> Builder {
    let mut builder = Schedule::builder();
    let mut nodes = Vec::with_capacity(N_SYSTEMS);
    for call in calls() {
        builder.add_dynamic(DynamicSystem::new("system", move |_: &mut View<'_>| call()));
        nodes.extend(builder.last());
    }
    for pair in nodes[..=n_links].windows(2) {
        builder.order(pair[0], pair[1]);
    }
    builder
}

#[library_benchmark(setup = calls)]
#[bench::independent()]
fn plain_loop(calls: Vec<Call>) -> Vec<Call> {
    for _ in 0..N_RUNS {
        for call in &calls {
            call();
        }
    }
    calls
}

// The returned value is dropped outside of the measurement.

// 20 of each run pass on the clock of a recording, if there is one.

#[library_benchmark(config = limit(36, 180))]
#[bench::independent(args = (Some(Executor::Serial)), setup = independent)]
#[bench::chain(args = (Some(Executor::Serial)), setup = chain)]
#[bench::on_20(args = (Some(Executor::Serial)), setup = on_20)]
fn serial(mut ready: Ready) -> Ready {
    ready.run();
    ready
}

// Conditions count as systems. That of a loop is called with all checks, also with that for a recording.

#[library_benchmark]
#[bench::each(args = (1), setup = guarded, config = limit(69, 130))]
#[bench::four(args = (4), setup = guarded, config = limit(37, 180))]
#[bench::formulas(args = (), setup = with_formulas, config = limit(90, 100))]
#[bench::repeated(args = (), setup = with_loop, config = limit(62, 200))]
fn conditional(mut ready: Ready) -> Ready {
    ready.run();
    ready
}

// 35 per system if runs seem to follow each other directly, 60 if they seem to come after pauses.

#[library_benchmark(config = limit(70, 100))]
#[bench::independent(args = (None), setup = independent)]
#[bench::chain(args = (None), setup = chain)]
#[bench::on_20(args = (None), setup = on_20)]
fn by_default(mut ready: Ready) -> Ready {
    ready.run();
    ready
}

// Includes the timeline of each run.

#[library_benchmark(config = limit(1600, 2000))]
#[bench::independent(args = (Some(Executor::Serial)), setup = independent)]
#[bench::chain(args = (Some(Executor::Serial)), setup = chain)]
#[bench::on_20(args = (Some(Executor::Serial)), setup = on_20)]
fn recorded(mut ready: Ready) -> Ready {
    for _ in 0..N_RUNS {
        let (result, recording) = ready.schedule.record(&mut ready.resources);
        let timeline = recording.timeline();
        result.expect("no resource is missing, and no system fails");
        black_box(timeline);
    }
    ready
}

library_benchmark_group!(
    name = runs,
    benchmarks = [plain_loop, serial, conditional, by_default, recorded]
);

main!(library_benchmark_groups = runs);
