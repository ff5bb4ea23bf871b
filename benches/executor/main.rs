//! What it costs to run a schedule, beside other executors and a plain loop over the same calls.
//!
//! `cargo bench -p benches --bench executor -- [--json FILE] [--svg FILE] [--only WORKLOAD] [--stretches N | --quick]`
//!
//! A workload is systems with orders between them. Every contender runs the very same boxed calls, each of which does
//! work of a cost that was measured beforehand, or nothing; and each keeps to the same orders, which is made sure of
//! before it is measured. Two workers take part, whatever the machine has. What a system costs is a base cost times its
//! weight; where weights change, all do so at once.
//!
//! The contenders take turns: in a round each is measured once, another one first in the next. `hot` is right after
//! other runs of the same contender, `cold` after idling before every single run, `jump` right after all costs have
//! changed, for each of the next 64 runs. All that is measured with every thread pinned to its processor, and again
//! with all of them wherever the system puts them. What was measured while other processes took more than a tenth of a
//! processor is discarded.
//!
//! The first file has the form of `benches/results`: the time of each run, the speed-up of the median, the 90th percentile
//! and the mean against those of the serial loop under the same conditions, the best known speed-up of two workers, and its
//! upper bound. The second is a plot.

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

/// The files that were asked for.
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
            let works = weights.map(|&weight| calibration.work(cost_ns, weight));
            let works: Vec<Work> = works.collect();
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
