//! Measures the cost of processing a stream of events, compared with a sequential loop over the same events and with other
//! ways to use two processors.
//!
//! `cargo bench -p benches --bench streams -- [--json FILE] [--only WORKLOAD] [--cost NS] [--contender NAME]
//! [--stretches N | --quick]`
//!
//! A workload consists of events that access a few balances. An event moves money, and then does arithmetic with a cost that
//! was measured before, or nothing. Events are generated from a seed, outside of the timed part. Every contender handles the
//! same events by the same functions. There are two workers. After each sample, the balances and the verdict on each event are
//! compared with those of a sequential loop. If locks decide the order, only the sum of all balances is compared.
//!
//! The contenders take turns: each is measured once per round, and another one is first in the next round. Everything is
//! measured with pinned threads, and again without pinning. Rounds in which other processes used more than a tenth of a
//! processor are discarded.
//!
//! The file has the format of `benches/results`: nanoseconds per event, and the speed of the median relative to the serial
//! loop under the same conditions, or the difference between the two for empty handlers. `--memory` measures the memory for a
//! long input, and `--parameters` the cost of events by the parameters of their handlers.

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
        return options.shared.write_json(|| results.to_json());
    }
    if options.is_of_parameters {
        let table = parameters::measure(&options);
        println!("{table}");
        return options.shared.write_json(|| table.to_json("parameters"));
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
    // The targets need all contenders of this project.
    if options.contender.is_none() {
        println!("{}", Bars::of(&table.rows));
    }
    options.shared.write_json(|| table.to_json("streams"))
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
