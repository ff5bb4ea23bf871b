//! Simulates runs on 1 to 64 workers, and compares the simulation with real runs on one and two workers.
//!
//! `cargo bench -p benches --bench simulation -- [--json FILE] [--cost NS] [--hand-over NS] [--per-node NS]`
//!
//! The graphs are those of the bench `executor`. The first table has a simulated run for each number of workers and each
//! discipline, which selects the next node. It shows the speed-up over a loop, and the excess over the lower bound. The lower
//! bound is the maximum of the critical path and of the work divided by the number of workers. The second table shows the
//! gain of `optimize`. The third table compares medians of real runs with simulated ones.

mod options;
mod real;
mod table;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use benches::quantile::median;
use benches::weight;
use benches::work::{Calibration, Call};
use benches::workload::{self, Declared, Workload};
use schedule::report::{Discipline, Machine};
use schedule::{Policy, Schedule};

use crate::options::Options;
use crate::real::Threads;
use crate::table::{Cell, Checked, Fitted, N_WORKERS, Row, Table};

const N_BUILDS: usize = 9;

fn main() -> ExitCode {
    let (options, json) = match Options::parse(std::env::args().skip(1)) {
        Ok(parsed) => parsed,
        Err(mistake) => {
            eprintln!("{mistake}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let threads = Threads::new();
    let [weight] = weight::equal(1)[..] else {
        unreachable!("one workload was requested")
    };
    let work = Calibration::measure().work(options.cost.as_nanos() as u64, weight);
    let mut table = Table::new(options);
    // Larger than those of the bench `executor`.
    let large = workload::random(10_000, 20);
    let calls = vec![work.call(); large.orders.n_systems()];
    for policy in [Policy::InsertionOrder, Policy::Optimize] {
        table.fitted.push(fitted(&large, &calls, policy, options));
    }
    for workload in workload::chosen(None).expect("no name was given") {
        let is_even = workload.weights.iter().all(|&other| other == weight);
        // Other workloads are empty, or their systems have different costs.
        if workload.costs_ns.len() == 1 || !is_even {
            continue;
        }
        let calls: Vec<Call> = vec![work.call(); workload.orders.n_systems()];
        let mut schedule = build(&workload, &calls, Policy::InsertionOrder);
        if !matches!(workload.declared, Declared::Orders) {
            for policy in [Policy::InsertionOrder, Policy::Optimize] {
                table
                    .fitted
                    .push(fitted(&workload, &calls, policy, options));
            }
        }
        for discipline in [Discipline::Keep, Discipline::MostUrgent] {
            table.rows.push(Row {
                workload: workload.name.clone(),
                discipline,
                cells: N_WORKERS.map(|n_workers| {
                    let machine = machine(options, n_workers).discipline(discipline);
                    Cell::new(&schedule.simulate(machine, |_| options.cost))
                }),
            });
        }
        for n_workers in [1, 2] {
            let simulation = schedule.simulate(machine(options, n_workers), |_| options.cost);
            table.checked.push(Checked {
                workload: workload.name.clone(),
                n_workers,
                simulated: simulation.makespan(),
                real: threads.median(&workload, &mut schedule, n_workers),
            });
        }
    }
    println!("{table}");
    if let Some(file) = json
        && let Err(error) = std::fs::write(&file, table.to_json())
    {
        eprintln!("{}: {error}", file.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn build(workload: &Workload, calls: &[Call], policy: Policy) -> Schedule {
    let schedule = workload.declare(calls).policy(policy).build();
    schedule.expect("no race is rejected")
}

fn fitted(workload: &Workload, calls: &[Call], policy: Policy, options: Options) -> Fitted {
    let builds = (0..N_BUILDS).map(|_| {
        let mut builder = workload.declare(calls);
        let start = Instant::now();
        let schedule = builder.policy(policy).build();
        schedule.expect("no race is rejected");
        start.elapsed()
    });
    let build_time = median(builds);
    let schedule = build(workload, calls, policy);
    Fitted {
        workload: workload.name.clone(),
        policy,
        build_time,
        cells: N_WORKERS.map(|n_workers| {
            Cell::new(&schedule.simulate(machine(options, n_workers), |_| options.cost))
        }),
    }
}

/// With one worker, a run is a loop without hand-overs.
fn machine(options: Options, n_workers: usize) -> Machine {
    let per_node = if n_workers == 1 {
        Duration::ZERO
    } else {
        options.per_node
    };
    Machine::new(n_workers)
        .per_node(per_node)
        .hand_over(options.hand_over)
}
