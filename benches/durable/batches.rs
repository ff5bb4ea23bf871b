//! Throughput: all contenders process or store the same batches.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use bench_report::Row;
use benches::effort::Effort;
use benches::quantile::median;
use benches::rounds::Rounds;
use redb::Database;
use schedule_stream::durable::DurableStream;
use schedule_stream::{Outcome, Stream};

use crate::bank::{Transfer, in_memory, n_bytes, program, recover, resources, transfers};
use crate::redb_journal::{RedbJournal, commit};

const N_BATCHES: usize = 62;
/// The number of events with which a stream ends a batch.
const MAX_BATCH: usize = 2_048;
const N_ACCOUNTS: u32 = 1_000;

pub(crate) const LOOP: &str = "write and sync, no handler";
pub(crate) const STREAM: &str = "stream without journal";

/// `names[c]`, `contenders[c]`: a function that runs contender c in an empty folder. Returns its time in milliseconds.
struct Contenders {
    names: Vec<&'static str>,
    run: Vec<fn(&Path, &[Transfer]) -> f64>,
}

fn contenders() -> Contenders {
    let mut all = Contenders {
        names: Vec::new(),
        run: Vec::new(),
    };
    let mut add = |name, run| {
        all.names.push(name);
        all.run.push(run);
    };
    add(LOOP, write_and_sync);
    add("redb, a commit for each batch, no handler", redb_loop);
    add("durable stream", |folder, events| {
        let recovered = program().recover(folder.join("journal"), resources(N_ACCOUNTS));
        timed(recovered.expect("the folder is empty"), events)
    });
    add("durable stream, single batches", |folder, events| {
        let recovered = program().recover(folder.join("journal"), resources(N_ACCOUNTS));
        let mut stream = recovered.expect("the folder is empty");
        let (start, mut n_applied) = (Instant::now(), 0);
        for batch in events.chunks(MAX_BATCH) {
            let count = |outcome: Outcome<_>| n_applied += usize::from(outcome.is_applied());
            let processed = stream.process_batch(batch.iter().cloned(), count);
            processed.expect("the disk works");
        }
        let time = milliseconds(start);
        assert_eq!(n_applied, events.len());
        time
    });
    add("durable stream on redb", |folder, events| {
        let journal = RedbJournal::create(&folder.join("records.redb"));
        timed(recover(journal, N_ACCOUNTS), events)
    });
    add("durable stream in memory", |_, events| {
        timed(in_memory(N_ACCOUNTS), events)
    });
    add(STREAM, |_, events| {
        let mut resources = resources(N_ACCOUNTS);
        let mut stream = Stream::new();
        let (start, mut n_applied) = (Instant::now(), 0);
        let count = |outcome: Outcome<_>| n_applied += usize::from(outcome.is_applied());
        let processed = stream.process(&mut resources, events.iter().cloned(), count);
        processed.expect("no resource is missing");
        let time = milliseconds(start);
        assert_eq!(n_applied, events.len());
        time
    });
    all
}

fn milliseconds(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

fn timed(mut stream: DurableStream<Transfer>, events: &[Transfer]) -> f64 {
    let (start, mut n_applied) = (Instant::now(), 0);
    let count = |outcome: Outcome<_>| n_applied += usize::from(outcome.is_applied());
    let processed = stream.process(events.iter().cloned(), count);
    processed.expect("the journal works");
    let time = milliseconds(start);
    assert_eq!(n_applied, events.len());
    time
}

/// The bytes of a batch, as in a journal.
fn record(events: &[Transfer]) -> Vec<u8> {
    let n_bytes: usize = events.iter().map(n_bytes).sum();
    vec![0xa5; 40 + n_bytes]
}

fn write_and_sync(folder: &Path, events: &[Transfer]) -> f64 {
    let records: Vec<_> = events.chunks(MAX_BATCH).map(record).collect();
    let mut file = File::create(folder.join("records")).expect("a file can be created");
    let start = Instant::now();
    for record in &records {
        file.write_all(record).expect("the disk has space");
        file.sync_data().expect("the disk works");
    }
    milliseconds(start)
}

fn redb_loop(folder: &Path, events: &[Transfer]) -> f64 {
    let records: Vec<_> = events.chunks(MAX_BATCH).map(record).collect();
    let database = Database::create(folder.join("records.redb"));
    let database = database.expect("the database can be created");
    let start = Instant::now();
    for (number, record) in (1..).zip(&records) {
        commit(&database, core::iter::once((number, &**record)));
    }
    milliseconds(start)
}

/// Measures all contenders with handlers of these costs. The two loops call no handler. Prints a table, and returns its rows.
pub(crate) fn measure(effort: Effort, folder: &Path) -> Vec<Row> {
    let mut rows = Vec::new();
    println!("| contender | handler | ms | speed-up over `{LOOP}` | over `{STREAM}` |");
    println!("|---|---:|---:|---:|---:|");
    for handler_ns in [0, 1_000] {
        let n_iterations = iterations_of(handler_ns);
        let events = transfers(N_BATCHES * MAX_BATCH, N_ACCOUNTS, n_iterations);
        let Contenders { names, run } = contenders();
        let rounds = Rounds::measure(names, effort, |contender| {
            let folder = empty(folder);
            vec![run[contender](&folder, &events)]
        });
        let medians: Vec<f64> = rounds.samples.iter().map(|of| median(of.clone())).collect();
        let at = |name| rounds.names.iter().position(|of| *of == name);
        let [of_loop, of_stream] =
            [LOOP, STREAM].map(|name| at(name).map_or(0.0, |at| medians[at]));
        for (name, ms) in rounds.names.iter().zip(&medians) {
            let (over_loop, over_stream) = (of_loop / ms, of_stream / ms);
            println!("| {name} | {handler_ns} ns | {ms:.1} | {over_loop:.2} | {over_stream:.2} |");
            let row = Row::new("batches", name).with("handler_ns", handler_ns as u64);
            rows.push(row.median_of(*ms));
        }
        println!(
            "\n{} rounds, {} discarded, {} noisy\n",
            rounds.n_rounds, rounds.n_discarded, rounds.n_noisy
        );
    }
    rows
}

/// Removes everything in a folder.
pub(crate) fn empty(folder: &Path) -> PathBuf {
    drop(fs::remove_dir_all(folder));
    fs::create_dir_all(folder).expect("a folder can be created");
    folder.to_path_buf()
}

/// The number of iterations of the loop in the handler that take this time.
fn iterations_of(ns: u32) -> u32 {
    const N: u32 = 10_000_000;
    let start = Instant::now();
    for n in 0..N {
        std::hint::black_box(n);
    }
    let one = start.elapsed().as_secs_f64() * 1e9 / f64::from(N);
    (f64::from(ns) / one) as u32
}
