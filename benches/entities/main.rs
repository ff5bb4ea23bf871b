//! Measures stores of entities on the workloads of the public `ecs_bench_suite`.
//!
//! `cargo bench -p benches --bench entities -- [--json FILE] [--only WORKLOAD] [--stretches N | --quick]`
//!
//! Each contender runs a workload as its users would. `schedule-hecs` runs each as a schedule, so its figures include a run with
//! verified access. `hecs` has no scheduler, and is the baseline: its figures are those of its own queries on a world that is
//! borrowed exclusively. The contenders take turns: each is measured once per round, and another one is first in the next
//! round. Rounds in which other processes used more than a tenth of a processor are discarded.

mod bevy;
mod by_hecs;
mod contender;
mod data;
mod legion;
mod ours;
mod ours_by_commands;
mod shipyard;
mod table;
mod workload;

use std::process::ExitCode;

use benches::options::Options;
use benches::rounds::Rounds;

use crate::contender::{Contender, HECS, OURS, OURS_BY_COMMANDS, Run, sample};
use crate::table::{Row, Table};
use crate::workload::Workload;

/// The contenders. The first is the baseline.
const ALL: [Contender; 6] = [
    Contender {
        name: HECS,
        of: by_hecs::of,
    },
    Contender {
        name: OURS,
        of: ours::of,
    },
    Contender {
        name: OURS_BY_COMMANDS,
        of: ours_by_commands::of,
    },
    Contender {
        name: "bevy_ecs",
        of: bevy::of,
    },
    Contender {
        name: "shipyard",
        of: shipyard::of,
    },
    Contender {
        name: "legion",
        of: legion::of,
    },
];

const USAGE: &str = "usage: entities [--json FILE] [--only WORKLOAD] [--stretches N | --quick]";

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1), |_, _| Ok(false)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let mut table = Table::default();
    for workload in Workload::ALL {
        let name = workload.to_string();
        if options
            .only
            .as_ref()
            .is_some_and(|only| !name.starts_with(only))
        {
            continue;
        }
        let contenders = ALL
            .iter()
            .filter_map(|one| Some((one.name, (one.of)(workload)?)));
        let (names, mut runs): (Vec<&str>, Vec<Run>) = contenders.unzip();
        let rounds = Rounds::measure(names, options.effort(), |idx| sample(&mut runs[idx]));
        let row = Row::new(name, &rounds);
        eprintln!("{row}");
        table.rows.push(row);
    }
    println!("{table}");
    options.write_json(|| table.to_json())
}
