//! What it costs to process a stream of events, beside a plain loop over the same events and other ways to use two
//! processors.
//!
//! `cargo bench -p benches --bench streams -- [--json FILE] [--only WORKLOAD] [--cost NS] [--contender NAME]
//! [--stretches N | --quick]`
//!
//! A workload is events that each touch a few balances: they move money, and then do arithmetic of a cost that was
//! measured beforehand, or nothing. All are made from a seed, outside of what is timed, and every contender handles the
//! very same ones by the very same functions. Two workers take part. After each sample the balances and the verdict on
//! each event are compared with those of one event after the other; where locks decide who comes first, it is made sure
//! of that no money was made.
//!
//! The contenders take turns: in a round each is measured once, another one first in the next. All that is measured with
//! every thread pinned to its processor, and again with all of them wherever the system puts them. What was measured
//! while other processes took more than a tenth of a processor is discarded.
//!
//! The file has the form of `benches/results`: nanoseconds per event, and the speed of the median against that of the
//! serial loop under the same conditions, or the difference between the two for empty handlers. With `--memory` it is
//! measured how much memory a long input takes, and with `--parameters`, what events cost by what their handlers take.

mod bars;
mod batch;
mod business;
mod cells;
mod channels;
mod contender;
mod contenders;
mod entry;
mod halves;
mod handlers;
mod memory;
mod mutexes;
mod options;
mod ours;
mod parameters;
mod pools;
mod prio;
mod queues;
mod scheduler;
mod serial;
#[cfg(feature = "solana")]
mod solana;
mod table;
mod tickets;
mod workload;

use std::mem::replace;
use std::process::ExitCode;

use benches::pinning::Pinning;
use benches::rounds::Rounds;
use benches::work::Calibration;

use crate::bars::Bars;
use crate::options::Options;
use crate::pools::Pools;
use crate::table::{Row, Table};
use crate::workload::{COSTS_NS, Workload};

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(mistake) => {
            eprintln!("{mistake}\n{}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    if options.is_memory {
        let results = memory::measure(options.is_long);
        return written(&results.to_json(), &options);
    }
    if options.is_of_parameters {
        let table = parameters::measure(&options);
        println!("{table}");
        return written(&table.to_json("parameters"), &options);
    }
    let workloads = match workload::chosen(options.shared.only.as_deref()) {
        Ok(workloads) => workloads,
        Err(mistake) => {
            eprintln!("{mistake}");
            return ExitCode::from(2);
        }
    };
    let table = measure(&workloads, &options);
    println!("{table}");
    // They need all contenders of this project.
    if options.contender.is_none() {
        println!("{}", Bars::of(&table.rows));
    }
    written(&table.to_json("streams"), &options)
}

/// Into the file that was asked for, if any.
fn written(json: &str, options: &Options) -> ExitCode {
    let Some(file) = &options.shared.json else {
        return ExitCode::SUCCESS;
    };
    match std::fs::write(file, json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", file.display());
            ExitCode::FAILURE
        }
    }
}

fn measure(workloads: &[Workload], options: &Options) -> Table {
    let pinning = Pinning::of_two();
    let pools = Pools::new(&pinning);
    pinning.set(pinning.is_possible());
    let calibration = Calibration::measure();
    eprintln!("{calibration}");
    let costs_ns = options
        .cost_ns
        .map_or(COSTS_NS.to_vec(), |cost_ns| vec![cost_ns]);
    let mut table = Table::default();
    for workload in workloads {
        for &cost_ns in &costs_ns {
            let batch = workload.batch(cost_ns, calibration.n_steps(cost_ns));
            let mut contenders = contenders::all(&batch, &pools);
            if let Some(wanted) = &options.contender {
                let mut is_first = true;
                contenders
                    .retain(|one| replace(&mut is_first, false) || one.name().starts_with(wanted));
            }
            for &is_pinned in pinning.ways() {
                pinning.set(is_pinned);
                let names = contenders.iter().map(|one| one.name()).collect();
                let rounds = Rounds::measure(names, options.shared.effort(), |idx| {
                    vec![contender::sample(&mut *contenders[idx], &batch)]
                });
                let n_events = batch.entries.len();
                let row = Row::new(&workload.name, n_events, cost_ns, is_pinned, &rounds);
                eprintln!("{row}");
                table.rows.push(row);
            }
        }
    }
    table
}
