//! The processes of the tests of clusters: workers, and supervisors that are killed.
//!
//! `cluster-process FOLDER SEED BATCHES`: a supervisor of two workers. Prints a line for each outcome.

use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use schedule_tests::cluster::random::{Random, clock_after};
use schedule_tests::cluster::{outcome_line, program};

fn main() {
    let program = program().work_if_asked();
    let arguments: Vec<String> = env::args().collect();
    let [_, folder, seed, n_batches] = &arguments[..] else {
        eprintln!("usage: cluster-process FOLDER SEED BATCHES");
        std::process::exit(2);
    };
    let seed: u64 = seed.parse().expect("SEED is a number");
    let n_batches: u64 = n_batches.parse().expect("BATCHES is a number");
    let mut stream = program
        .processes(2)
        .recover(folder)
        .expect("the cluster starts");
    stream.set_clock(clock_after(stream.next_batch() - 1));
    while stream.next_batch() <= n_batches {
        let batch = stream.next_batch();
        let events = Random::of_batch(seed, batch);
        let mut lines = String::new();
        stream
            .process_batch(events, |outcome| {
                writeln!(lines, "{}", outcome_line(&outcome)).expect("memory suffices");
            })
            .expect("the cluster works");
        let mut out = io::stdout();
        out.write_all(lines.as_bytes())
            .expect("the test reads the lines");
        out.flush().expect("the test reads the lines");
        if batch.is_multiple_of(3) {
            stream.snapshot().expect("the snapshot is written");
        }
    }
}
