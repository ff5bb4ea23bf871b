//! Measures the cost of running a schedule, compared with other executors and with a sequential loop over the same calls.
//!
//! `cargo bench -p benches --bench executor -- [--json FILE] [--svg FILE] [--only WORKLOAD] [--stretches N | --quick]`
//!
//! A workload consists of systems and orders between them. Every contender runs the same boxed calls. A call does work with
//! a cost that was measured before, or nothing. All contenders respect the same orders, which is checked before the
//! measurement. There are two workers, even if the machine has more processors. The cost of a system is the base cost times
//! its weight. If weights change, all of them change at once.
//!
//! The contenders take turns: each is measured once per round, and another one is first in the next round. `hot` is right
//! after other runs of the same contender, `cold` after a pause before each run, `jump` right after all costs have changed,
//! for each of the next 64 runs. Everything is measured with pinned threads, and again without pinning. Rounds in which
//! other processes used more than a tenth of a processor are discarded.
//!
//! The first file has the format of `benches/results`: the time of each run, the speed-up of the median, the 90th percentile
//! and the mean relative to the serial loop under the same conditions, the best known speed-up of two workers, and its
//! upper bound. The second file is a plot.

mod bars;
mod bevy;
mod by_hand;
mod contender;
mod contenders;
mod legion;
mod options;
mod ours;
mod plot;
mod pools;
mod rounds;
mod row;
mod serial;
mod shipyard;
mod shred;
mod table;
mod trace;
mod types;

use std::path::Path;
use std::process::ExitCode;

use benches::effort::Effort;
use benches::pinning::Pinning;
use benches::work::{Calibration, Call, Work};
use benches::workload::{self, Workload};

use crate::options::Options;
use crate::plot::Plot;
use crate::pools::Pools;
use crate::row::Row;
use crate::table::Table;

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    let only = options.shared.only.as_deref();
    let workloads = match options.svg {
        Some(_) => workload::chosen_and_plotted(only),
        None => workload::chosen(only),
    };
    let workloads = match workloads {
        Ok(workloads) => workloads,
        Err(mistake) => {
            eprintln!("{mistake}");
            return ExitCode::from(2);
        }
    };
    let table = measure(&workloads, options.shared.effort());
    println!("{table}");
    match write(&options, &workloads, &table) {
        Ok(()) => ExitCode::SUCCESS,
        Err(mistake) => {
            eprintln!("{mistake}");
            ExitCode::FAILURE
        }
    }
}

/// Writes the requested files.
fn write(options: &Options, workloads: &[Workload], table: &Table) -> Result<(), String> {
    let write = |file: &Path, text: String| {
        let result = std::fs::write(file, text);
        result.map_err(|error| format!("{}: {error}", file.display()))
    };
    if let Some(file) = &options.shared.json {
        write(file, table.to_json())?;
    }
    if let Some(file) = &options.svg {
        let plotted = workloads.iter().filter(|workload| workload.is_plotted);
        let names: Vec<&str> = plotted.map(|workload| workload.name.as_str()).collect();
        write(file, Plot::new(&table.rows, &names).to_string())?;
    }
    Ok(())
}

fn measure(workloads: &[Workload], effort: Effort) -> Table {
    let pinning = Pinning::of_two();
    let pools = Pools::new(&pinning);
    pinning.set(pinning.is_possible());
    let calibration = Calibration::measure();
    eprintln!("{calibration}");
    let mut table = Table::default();
    for workload in workloads {
        for &cost_ns in &workload.costs_ns {
            let weights = workload.weights.iter();
            let works: Vec<Work> = weights
                .map(|&weight| calibration.work(cost_ns, weight))
                .collect();
            trace::check(workload, &works, &pools);
            let calls: Vec<Call> = works.iter().map(|work| work.call()).collect();
            let mut contenders = contenders::all(workload, &calls, &pools);
            for &is_pinned in pinning.ways() {
                pinning.set(is_pinned);
                for &temperature in workload.temperatures {
                    let rounds = rounds::measure(&mut contenders, temperature, effort);
                    let row = Row::new(workload, cost_ns, temperature, is_pinned, rounds);
                    eprintln!("{row}");
                    table.rows.push(row);
                }
            }
        }
    }
    table
}
