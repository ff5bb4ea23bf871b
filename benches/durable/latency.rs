//! Latency: 64 tasks submit events and wait for the answers.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bench_report::Row;
use benches::effort::Effort;
use benches::quantile::median;
use benches::rounds::Rounds;
use schedule_stream::durable::DurableStream;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, oneshot};

use crate::bank::{Transfer, in_memory, program, resources, transfers};
use crate::batches::empty;

const N_TASKS: usize = 64;
const N_EVENTS: usize = 200;
const N_ACCOUNTS: u32 = 1_000;
/// The number of accounts in a snapshot.
const MANY: u32 = 1_000_000;

fn runtime() -> Runtime {
    let runtime = Builder::new_multi_thread().worker_threads(2).build();
    runtime.expect("threads can be started")
}

/// The sorted latencies of a run, in microseconds.
struct Latencies(Vec<f64>);

impl Latencies {
    fn of(all: impl Iterator<Item = Duration>) -> Self {
        let mut all: Vec<_> = all.map(|one| one.as_secs_f64() * 1e6).collect();
        all.sort_by(f64::total_cmp);
        Self(all)
    }

    /// The 50th and the 99th percentile.
    fn percentiles(&self) -> [f64; 2] {
        [50, 99].map(|of| self.0[self.0.len() * of / 100])
    }
}

/// Lets each task make `N_EVENTS` requests, one after the other.
async fn all_tasks<F>(mut task: impl FnMut(usize) -> F) -> Latencies
where
    F: Future<Output = Vec<Duration>> + Send + 'static,
{
    let tasks: Vec<_> = (0..N_TASKS).map(|nth| tokio::spawn(task(nth))).collect();
    let mut all = Vec::new();
    for task in tasks {
        all.extend(task.await.expect("no task panics"));
    }
    Latencies::of(all.into_iter())
}

fn of_service(stream: DurableStream<Transfer>, events: &[Transfer]) -> [f64; 2] {
    let service = stream.serve();
    let latencies = runtime().block_on(all_tasks(|nth| {
        let handle = service.handle();
        let events = events[nth * N_EVENTS..][..N_EVENTS].to_vec();
        async move {
            let mut all = Vec::new();
            for event in events {
                let start = Instant::now();
                let outcome = handle.submit(event).await;
                all.push(start.elapsed());
                outcome.expect("the service runs");
            }
            all
        }
    }));
    latencies.percentiles()
}

/// A task that answers each request at once.
fn of_channels(events: &[Transfer]) -> [f64; 2] {
    let latencies = runtime().block_on(async {
        let (requests, mut received) = mpsc::channel::<(Transfer, oneshot::Sender<u64>)>(8_192);
        tokio::spawn(async move {
            while let Some((_, reply)) = received.recv().await {
                let _: Result<(), u64> = reply.send(1);
            }
        });
        all_tasks(|nth| {
            let requests = requests.clone();
            let events = events[nth * N_EVENTS..][..N_EVENTS].to_vec();
            async move {
                let mut all = Vec::new();
                for event in events {
                    let start = Instant::now();
                    let (reply, answer) = oneshot::channel();
                    let sent = requests.send((event, reply)).await;
                    sent.expect("the other task runs");
                    answer.await.expect("each request is answered");
                    all.push(start.elapsed());
                }
                all
            }
        })
        .await
    });
    latencies.percentiles()
}

pub(crate) const CHANNELS: &str = "tokio mpsc and oneshot";

/// Measures the latency of all contenders. Prints a table, and returns its rows.
pub(crate) fn measure(effort: Effort, folder: &Path) -> Vec<Row> {
    let names = vec![CHANNELS, "service in memory", "service"];
    let events = transfers(N_TASKS * N_EVENTS, N_ACCOUNTS, 0);
    // Percentiles of a round are two figures.
    let rounds = Rounds::measure(names, effort, |contender| {
        let figures = match contender {
            0 => of_channels(&events),
            1 => of_service(in_memory(N_ACCOUNTS), &events),
            _ => {
                let recovered = program().recover(empty(folder), resources(N_ACCOUNTS));
                of_service(recovered.expect("the folder is empty"), &events)
            }
        };
        figures.to_vec()
    });
    println!("| {N_TASKS} tasks | p50, µs | p99, µs |\n|---|---:|---:|");
    let mut rows = Vec::new();
    for (name, samples) in rounds.names.iter().zip(&rounds.samples) {
        let [p50, p99] = [0, 1].map(|nth| median(samples.iter().skip(nth).step_by(2).copied()));
        println!("| {name} | {p50:.0} | {p99:.0} |");
        let row = |of: &str, figure| {
            let row = Row::new("latency", name).unit("µs").with("percentile", of);
            row.median_of(figure)
        };
        rows.extend([row("50", p50), row("99", p99)]);
    }
    println!(
        "\n{} rounds, {} discarded, {} noisy\n",
        rounds.n_rounds, rounds.n_discarded, rounds.n_noisy
    );
    rows
}

/// Measures the latency of events that are submitted while a snapshot of many records is taken and written.
pub(crate) fn during_snapshot(n_rounds: usize, folder: &Path) -> Vec<Row> {
    let recovered = program().recover(empty(folder), resources(MANY));
    let service = recovered.expect("the folder is empty").serve();
    let events = transfers(N_TASKS * N_EVENTS, MANY, 0);
    let (mut p50, mut p99, mut max, mut time) = (vec![], vec![], vec![], vec![]);
    for _ in 0..n_rounds {
        let is_over = std::sync::Arc::new(AtomicBool::new(false));
        let latencies = runtime().block_on(async {
            let tasks = all_tasks(|nth| {
                let (handle, is_over) = (service.handle(), is_over.clone());
                let events = events[nth * N_EVENTS..][..N_EVENTS].to_vec();
                async move {
                    let mut all = Vec::new();
                    for event in events.into_iter().cycle() {
                        if is_over.load(Relaxed) {
                            break;
                        }
                        let start = Instant::now();
                        let outcome = handle.submit(event).await;
                        all.push(start.elapsed());
                        outcome.expect("the service runs");
                    }
                    all
                }
            });
            let tasks = std::pin::pin!(tasks);
            let (handle, is_over) = (service.handle(), is_over.clone());
            let snapshot = tokio::spawn(async move {
                let start = Instant::now();
                let written = handle.snapshot().await;
                is_over.store(true, Relaxed);
                written.expect("the disk works");
                start.elapsed()
            });
            let latencies = tasks.await;
            time.push(snapshot.await.expect("no task panics").as_secs_f64() * 1e6);
            latencies
        });
        let [half, most] = latencies.percentiles();
        p50.push(half);
        p99.push(most);
        max.extend(latencies.0.last());
    }
    drop(service);
    println!("| during a snapshot of {MANY} records | µs |\n|---|---:|");
    let figures = [
        ("50", p50),
        ("99", p99),
        ("100", max),
        ("time of the snapshot", time),
    ];
    let rows = figures.map(|(of, figures)| {
        let figure = median(figures);
        println!("| {of} | {figure:.0} |");
        let row = Row::new("during a snapshot", "service").unit("µs");
        row.with("percentile", of).median_of(figure)
    });
    rows.to_vec()
}
