//! The processes of the tests of clusters: workers, and supervisors that are killed or stopped.
//!
//! `cluster-process FOLDER SEED BATCHES [NAME=NUMBER...]`: a supervisor of two workers. Prints a line for each outcome, and at the end
//! the number of generations. Then it prints the failures of workers to its standard error. The names are `snapshots` (number of
//! batches between two snapshots, 3 by default, 0 for none), `heartbeat` and `progress` (limits in milliseconds), and `idle` (the
//! pause in milliseconds after each batch).

use std::env;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::thread;
use std::time::Duration;

use schedule_tests_cluster::random::{Random, clock_after};
use schedule_tests_cluster::{outcome_line, program};

fn main() {
    let program = program().work_if_asked();
    let arguments: Vec<String> = env::args().collect();
    let [_, folder, seed, n_batches, options @ ..] = &arguments[..] else {
        eprintln!("usage: cluster-process FOLDER SEED BATCHES [NAME=NUMBER...]");
        std::process::exit(2);
    };
    let seed: u64 = seed.parse().expect("SEED is a number");
    let n_batches: u64 = n_batches.parse().expect("BATCHES is a number");
    let option = |name: &str, default: u64| {
        let found = options.iter().find_map(|option| {
            let (of, number) = option.split_once('=')?;
            (of == name).then(|| number.parse().expect("an option is a number"))
        });
        found.unwrap_or(default)
    };
    let snapshot_every = option("snapshots", 3);
    let pause = Duration::from_millis(option("idle", 0));
    let mut stream = program
        .processes(2)
        .heartbeat_limit(Duration::from_millis(option("heartbeat", 2_000)))
        .progress_limit(Duration::from_millis(option("progress", 30_000)))
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
        print(&lines);
        if snapshot_every > 0 && batch.is_multiple_of(snapshot_every) {
            stream.snapshot().expect("the snapshot is written");
        }
        thread::sleep(pause);
    }
    print(&format!(
        "generations {}\n",
        stream.control().n_generations()
    ));
    for failure in stream.control().failures() {
        eprintln!("{failure}");
    }
}

fn print(lines: &str) {
    let mut out = io::stdout();
    out.write_all(lines.as_bytes())
        .expect("the test reads the lines");
    out.flush().expect("the test reads the lines");
}
