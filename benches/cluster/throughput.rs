//! Events per second of a cluster, compared with one process.

use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use bench_report::Row;
use benches::effort::Effort;
use benches::quantile::median;
use benches::rounds::Rounds;
use schedule_cluster::ClusterStream;
use schedule_stream::durable::DurableStream;
use schedule_stream::journal::{MemoryJournal, MemorySnapshots};
use schedule_stream::{Outcome, Processing, Stream};

use crate::bank::{
    ACCOUNTS, Account, N_ACCOUNTS, Transfer, cluster, digest, durable, n_steps, resources,
    transfers,
};

pub(crate) const ONE: &str = "one process, one thread";
pub(crate) const TWO: &str = "two processes";
const N_PROCESSES: u32 = 2;

/// A method: its name, and a function that returns the seconds and the digest.
type Contender = (&'static str, fn(&Path, &[Transfer]) -> (f64, u64));

const CONTENDERS: [Contender; 6] = [
    (ONE, |_, events| in_process(Processing::Inline, events)),
    ("one process, two threads", |_, events| {
        in_process(Processing::Auto, events)
    }),
    (
        "one process, one thread, journal on disk",
        |folder, events| {
            let mut durable = durable().state::<schedule_stream::Records<Account>>();
            durable = durable.set_up(|stream| stream.set_processing(Processing::Inline));
            let stream = durable.recover(folder, resources(N_ACCOUNTS));
            timed_durable(stream.expect("the folder is empty"), events)
        },
    ),
    (TWO, |folder, events| {
        timed(in_memory(N_PROCESSES, folder, N_ACCOUNTS), events)
    }),
    ("two processes, journal on disk", |folder, events| {
        let stream = command(N_PROCESSES, N_ACCOUNTS).recover(folder);
        timed(stream.expect("the cluster starts"), events)
    }),
    ("one worker process", |folder, events| {
        timed(in_memory(1, folder, N_ACCOUNTS), events)
    }),
];

/// A cluster whose workers are pinned to a processor each, if the command `taskset` exists.
pub(crate) fn command(n: u32, n_accounts: u32) -> schedule_cluster::Cluster<Transfer> {
    let program = env::current_exe().expect("the program has a path");
    let can_pin = Command::new("taskset").arg("--version").output().is_ok();
    cluster(n_accounts)
        .processes(n as usize)
        .command(move |worker| {
            let mut command = match can_pin {
                true => {
                    let mut command = Command::new("taskset");
                    command
                        .arg("--cpu-list")
                        .arg(worker.to_string())
                        .arg(&program);
                    command
                }
                false => Command::new(&program),
            };
            command.env(ACCOUNTS, n_accounts.to_string());
            command
        })
}

/// A cluster that keeps its journal in memory.
pub(crate) fn in_memory(n: u32, folder: &Path, n_accounts: u32) -> ClusterStream<Transfer> {
    let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
    let cluster = command(n, n_accounts);
    let stream = cluster.recover_from(Box::new(journal), Box::new(snapshots), folder);
    stream.expect("the cluster starts")
}

fn in_process(processing: Processing, events: &[Transfer]) -> (f64, u64) {
    let mut resources = resources(N_ACCOUNTS);
    let mut stream = Stream::new();
    stream.set_processing(processing);
    let pool = rayon_of_two();
    stream.set_pool(pool);
    let (events, start) = (events.to_vec(), Instant::now());
    let processed = stream.process(&mut resources, events, check);
    processed.expect("no resource is missing");
    (start.elapsed().as_secs_f64(), digest(&resources))
}

fn rayon_of_two() -> Arc<rayon::ThreadPool> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    Arc::new(pool.expect("threads can be started"))
}

fn check(outcome: Outcome<Transfer>) {
    assert!(outcome.result.is_ok());
}

fn timed(mut stream: ClusterStream<Transfer>, events: &[Transfer]) -> (f64, u64) {
    let (events, start) = (events.to_vec(), Instant::now());
    stream.process(events, check).expect("the cluster works");
    let seconds = start.elapsed().as_secs_f64();
    let control = stream.control();
    assert_eq!(control.n_generations(), 1, "{:?}", control.failures());
    let collected = control.collect().expect("the cluster works");
    (seconds, digest(&collected))
}

fn timed_durable(mut stream: DurableStream<Transfer>, events: &[Transfer]) -> (f64, u64) {
    let (events, start) = (events.to_vec(), Instant::now());
    stream.process(events, check).expect("the journal works");
    (start.elapsed().as_secs_f64(), digest(stream.resources()))
}

/// Measures all contenders. Each must have the same digest. Prints a table, and returns its rows.
pub(crate) fn measure(effort: Effort, folder: &Path, only_ns: Option<u32>) -> Vec<Row> {
    let mut rows = Vec::new();
    println!("| handler | across | contender | events/s | speed-up over `{ONE}` |");
    println!("|---:|---:|---|---:|---:|");
    let handlers = [
        (0, 400_000),
        (1_000, 400_000),
        (10_000, 60_000),
        (100_000, 10_000),
    ];
    let is_wanted = |of: &(u32, usize)| only_ns.is_none_or(|only| only == of.0);
    for (handler_ns, n_events) in handlers.into_iter().filter(is_wanted) {
        let steps = if handler_ns == 0 {
            0
        } else {
            n_steps(handler_ns)
        };
        for percent in [0, 10, 50] {
            let events = transfers(n_events, steps, percent, N_PROCESSES);
            let mut digests = Vec::new();
            let names = CONTENDERS.map(|(name, _)| name).to_vec();
            let rounds = Rounds::measure(names, effort, |contender| {
                drop(std::fs::remove_dir_all(folder));
                std::fs::create_dir_all(folder).expect("a folder can be created");
                let (seconds, digest) = CONTENDERS[contender].1(folder, &events);
                digests.push(digest);
                vec![n_events as f64 / seconds]
            });
            assert!(
                digests.iter().all(|digest| *digest == digests[0]),
                "digests differ"
            );
            let medians: Vec<f64> = rounds.samples.iter().map(|of| median(of.clone())).collect();
            for (name, rate) in rounds.names.iter().zip(&medians) {
                let ratio = rate / medians[0];
                println!("| {handler_ns} ns | {percent} % | {name} | {rate:.0} | {ratio:.2} |");
                let row = Row::new("throughput", name).with("handler_ns", u64::from(handler_ns));
                rows.push(
                    row.with("across_percent", u64::from(percent))
                        .median_of(*rate),
                );
            }
            println!(
                "{} equal digests, {} noisy rounds",
                digests.len(),
                rounds.n_noisy
            );
        }
    }
    rows
}
