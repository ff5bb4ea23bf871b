//! The time from the kill of a worker to the first outcome of the next generation, by the size of the state.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use bench_report::Row;
use benches::quantile::median;

use crate::bank::{Bank, Transfer};
use crate::contender::{clear, in_memory};

/// Returns the rows. Prints a table.
pub(crate) fn measure(n_rounds: usize, folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    println!("| records | ms from a kill to the next outcome |\n|---:|---:|");
    for n_accounts in [1_000, 100_000, 1_000_000] {
        let mut times = Vec::new();
        clear(folder);
        let mut stream = in_memory(Bank(n_accounts), 2, folder);
        for _ in 0..n_rounds {
            let event = Transfer {
                from: 1,
                to: 2,
                cents: 1,
                n_steps: 0,
            };
            let worker = stream.control().process_ids()[0];
            let mut kill = Command::new("kill");
            let killed = kill.arg("-KILL").arg(worker.to_string()).status();
            killed.expect("the command `kill` exists");
            let start = Instant::now();
            let mut n = 0;
            let processed = stream.process_batch([event], |_| n += 1);
            processed.expect("the cluster starts again");
            assert_eq!(n, 1);
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let ms = median(times);
        println!("| {n_accounts} | {ms:.1} |");
        let row = Row::new("recovery", "two processes").with("records", u64::from(n_accounts));
        rows.push(row.unit("ms").median_of(ms));
    }
    rows
}
