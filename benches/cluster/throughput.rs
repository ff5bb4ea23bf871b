//! Events per second of a cluster, compared with one process.

use std::path::Path;

use bench_report::Row;
use benches::effort::Effort;

use crate::bank::{Bank, N_ACCOUNTS, n_steps, transfers};
use crate::contender::{CONTENDERS, N_PROCESSES, ONE, measure as measure_all};

/// The duration of a handler in ns, and the number of events.
const HANDLERS: [(u32, usize); 4] = [
    (0, 400_000),
    (1_000, 400_000),
    (10_000, 60_000),
    (100_000, 10_000),
];

/// Shares of events whose accounts are in two processes.
const ACROSS_PERCENT: [u32; 3] = [0, 10, 50];

/// Measures all contenders, with one duration or one share if they are given. Prints a table, and returns its rows.
pub(crate) fn measure(
    effort: Effort,
    folder: &Path,
    only_ns: Option<u32>,
    only_percent: Option<u32>,
) -> Vec<Row> {
    let mut rows = Vec::new();
    println!("| handler | across | contender | events/s | speed-up over `{ONE}` |");
    println!("|---:|---:|---|---:|---:|");
    let handlers = HANDLERS.into_iter();
    for (handler_ns, n_events) in handlers.filter(|of| only_ns.is_none_or(|only| only == of.0)) {
        let steps = match handler_ns {
            0 => 0,
            _ => n_steps(handler_ns),
        };
        let shares = ACROSS_PERCENT.into_iter();
        for percent in shares.filter(|of| only_percent.is_none_or(|only| only == *of)) {
            let events = transfers(n_events, steps, percent, N_PROCESSES);
            let rates = measure_all(Bank(N_ACCOUNTS), &events, effort, folder);
            for (contender, rate) in CONTENDERS.iter().zip(&rates) {
                let (name, ratio) = (contender.name, rate / rates[0]);
                println!("| {handler_ns} ns | {percent} % | {name} | {rate:.0} | {ratio:.2} |");
                let row = Row::new("throughput", name)
                    .with("handler_ns", u64::from(handler_ns))
                    .with("across_percent", u64::from(percent));
                rows.push(row.median_of(*rate));
            }
        }
    }
    rows
}
