//! Measures the time to build and verify a schedule, compared with other schedulers for the same graph.
//!
//! `cargo bench -p benches --bench build -- [--json FILE] [--quick]`
//!
//! A graph consists of `n` systems that read two resources and write one, chosen at random with a fixed seed. Under
//! `insertion order` there are no orders. Under `reject` there are exactly the orders that are needed to avoid races. The cost
//! of a change is also measured: the middle system of a built schedule is replaced by an equal one. The contenders take
//! turns, so that other processes affect all of them equally. A figure is the median of its rounds.

mod bevy;
mod contender;
mod engine;
mod memory;
mod options;
mod ours;
mod shipyard;
mod table;

use std::process::ExitCode;
use std::time::Duration;

use benches::random_graph::{Policy, RandomGraph};

use crate::contender::{Contender, Times};
use crate::options::Options;
use crate::table::{Row, Table};

const SIZES: [usize; 7] = [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000];
const LARGEST: usize = 100_000;
const N_RESOURCES: [usize; 2] = [20, 200];
/// The maximum number of systems under `reject`, because the search for races takes long.
const LARGEST_UNDER_REJECT: usize = 10_000;
/// The total time of a contender after which it is not measured again.
const ENOUGH: Duration = Duration::from_secs(3);

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    if let Some(n_resources) = options.peak_with {
        println!("{}", memory::of_largest(LARGEST, n_resources));
        return ExitCode::SUCCESS;
    }
    let table = measure(&options);
    println!("{table}");
    if let Some(file) = &options.json
        && let Err(error) = std::fs::write(file, table.to_json())
    {
        eprintln!("{}: {error}", file.display());
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn measure(options: &Options) -> Table {
    // Otherwise a contender could be fast because it does not search.
    let racing =
        RandomGraph::random(100, N_RESOURCES[0], Policy::InsertionOrder).under(Policy::Reject);
    assert!(ours::refuses(&racing) && bevy::refuses(&racing));
    let mut table = Table::default();
    for n_resources in N_RESOURCES {
        for policy in [Policy::InsertionOrder, Policy::Reject] {
            measure_growth(options, policy, n_resources, &mut table);
        }
    }
    if let Some(engine) = engine::measure(options.n_rounds(1)) {
        table.engine = engine;
    }
    if !options.is_quick {
        table.peaks = N_RESOURCES.map(|n| (n, memory::in_a_process(n))).to_vec();
    }
    table
}

/// Builds graphs of increasing size. A contender that took too long is not measured with larger graphs.
fn measure_growth(options: &Options, policy: Policy, n_resources: usize, table: &mut Table) {
    let mut contenders: Vec<(&str, Contender)> = match policy {
        Policy::InsertionOrder => vec![
            ("schedule", ours::build as Contender),
            ("schedule, one replaced", ours::replace),
            ("bevy_ecs", bevy::build),
            ("shipyard", shipyard::build),
        ],
        // A workload of shipyard cannot reject unordered conflicts.
        Policy::Reject => vec![
            ("schedule", ours::build),
            ("schedule, one replaced", ours::replace),
            ("bevy_ecs", bevy::build),
        ],
    };
    let largest = match policy {
        Policy::InsertionOrder => options.largest(),
        Policy::Reject => LARGEST_UNDER_REJECT.min(options.largest()),
    };
    for n_systems in SIZES.into_iter().filter(|&size| size <= largest) {
        let graph = RandomGraph::random(n_systems, n_resources, policy);
        let mut times = vec![Vec::new(); contenders.len()];
        for round in 0..options.n_rounds(n_systems) {
            for ((_, build), times) in contenders.iter().zip(&mut times) {
                // One round is enough for builds that take seconds.
                if round == 0 || sum(times) < ENOUGH {
                    times.push(build(&graph));
                }
            }
        }
        for ((name, _), times) in contenders.iter().zip(&times) {
            let row = Row::new(name, &graph, times);
            eprintln!("{row}");
            table.rows.push(row);
        }
        let mut keeps_up = times.iter().map(|times| !is_slow(times));
        contenders.retain(|_| keeps_up.next().expect("as many as contenders"));
    }
}

fn is_slow(times: &[Times]) -> bool {
    times.iter().any(|times| times.whole > ENOUGH)
}

fn sum(times: &[Times]) -> Duration {
    times.iter().map(|times| times.whole).sum()
}
