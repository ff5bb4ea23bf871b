//! The methods of processing the events.

use core::time::Duration;
use std::sync::Arc;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use schedule::BoxError;
use schedule::prelude::*;
use schedule_stream::EventError;
use schedule_stream::prelude::*;

use crate::digest::Digest;
use crate::options::Options;
use crate::processes;
use crate::result::{Applied, EventResult, Rejected, Tally};
use crate::work::Work;
use crate::workload::Workload;

/// The results and the duration of one method.
#[derive(Clone)]
pub(crate) struct Measurement {
    pub(crate) name: String,
    pub(crate) state: Digest,
    pub(crate) outcomes: Digest,
    pub(crate) tally: Tally,
    /// Median of all rounds.
    pub(crate) elapsed: Duration,
    /// Whether all rounds had the same result.
    pub(crate) is_deterministic: bool,
}

/// The results of all methods.
pub(crate) struct Measurements {
    pub(crate) serial: Measurement,
    pub(crate) stream: Measurement,
    pub(crate) locks: Measurement,
    /// Only with the option `--processes`.
    pub(crate) processes: Option<Measurement>,
}

impl Measurements {
    /// Returns the results, those of the loop first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Measurement> {
        [&self.serial, &self.stream, &self.locks]
            .into_iter()
            .chain(&self.processes)
    }
}

/// The result of one method in one round.
pub(crate) struct Run {
    pub(crate) balances: Vec<u128>,
    pub(crate) results: Vec<EventResult>,
    pub(crate) elapsed: Duration,
}

/// Number of rounds. Each round runs all methods once.
const N_ROUNDS: usize = 5;

/// Runs all methods.
pub(crate) fn run_all<B: Workload>(
    workload: &Arc<B>,
    work: Work,
    options: &Options,
) -> Result<Measurements, BoxError> {
    let pool = ThreadPoolBuilder::new().num_threads(options.n_threads);
    let pool = Arc::new(pool.build()?);
    let mut stream = Stream::<B::Entry>::new();
    stream.set_pool(Arc::clone(&pool));
    let mut names = vec![
        "serial loop".to_string(),
        "stream".to_string(),
        "mutex per account".to_string(),
    ];
    names.extend(options.n_processes.map(|n| match n {
        1 => "1 process".to_string(),
        n => format!("{n} processes"),
    }));
    let n_events = workload.entries().len() as u64;
    // The bar is drawn only in a terminal, and never while a method is measured.
    let bar = ProgressBar::new(n_events * (N_ROUNDS * names.len()) as u64);
    bar.set_style(ProgressStyle::with_template(
        "{msg:>17} [{wide_bar}] {human_pos} of {human_len} events",
    )?);
    let mut runs: [Vec<Run>; 4] = Default::default();
    for _ in 0..N_ROUNDS {
        for (method, name) in names.iter().enumerate() {
            bar.set_message(name.clone());
            runs[method].push(match method {
                0 => serial(&**workload, work),
                1 => with_stream(&mut stream, &**workload, work)?,
                2 => with_locks(&**workload, work, &pool),
                _ => {
                    let cluster = processes::cluster(workload, work);
                    let n = options.n_processes.unwrap_or(1);
                    processes::run(&**workload, cluster.processes(n))?
                }
            });
            bar.inc(n_events);
        }
    }
    bar.finish_and_clear();
    let mut measured = names
        .into_iter()
        .zip(&runs)
        .map(|(name, runs)| Measurement::of(name, runs));
    let mut next = || measured.next();
    let missing = "each of these methods has a name";
    Ok(Measurements {
        serial: next().expect(missing),
        stream: next().expect(missing),
        locks: next().expect(missing),
        processes: next(),
    })
}

impl Measurement {
    fn of(name: String, runs: &[Run]) -> Self {
        let mut elapsed: Vec<Duration> = runs.iter().map(|run| run.elapsed).collect();
        elapsed.sort_unstable();
        let is_same =
            |run: &Run| (&run.balances, &run.results) == (&runs[0].balances, &runs[0].results);
        Self {
            name,
            state: Digest::of_numbers(runs[0].balances.iter().copied()),
            outcomes: Digest::of_results(&runs[0].results),
            tally: Tally::of(&runs[0].results),
            elapsed: elapsed[elapsed.len() / 2],
            is_deterministic: runs.iter().all(is_same),
        }
    }
}

pub(crate) fn serial<B: Workload>(workload: &B, work: Work) -> Run {
    let mut tables = workload.tables();
    let entries = workload.entries();
    let mut results = Vec::with_capacity(entries.len());
    let start = Instant::now();
    for entry in entries {
        results.push(B::apply(&mut tables, entry, &work));
    }
    Run {
        elapsed: start.elapsed(),
        balances: B::balances(&tables),
        results,
    }
}

/// # Errors
///
/// Fails if the stream rejects an event before its handler runs.
fn with_stream<B: Workload>(
    stream: &mut Stream<B::Entry>,
    workload: &B,
    work: Work,
) -> Result<Run, BoxError> {
    let mut resources = Resources::new();
    B::insert(workload.tables(), &mut resources);
    resources.insert(work);
    let entries = workload.entries();
    let mut results = Results::of(entries.len());
    let start = Instant::now();
    stream.process(&mut resources, entries.iter().copied(), |outcome| {
        results.add(outcome);
    })?;
    let elapsed = start.elapsed();
    Ok(Run {
        elapsed,
        balances: B::balances_in(&resources),
        results: results.finish()?,
    })
}

/// The results of events whose handlers must run.
pub(crate) struct Results {
    results: Vec<EventResult>,
    /// The first event that was rejected before its handler ran.
    unexpected: Option<String>,
}

impl Results {
    pub(crate) fn of(n_events: usize) -> Self {
        Self {
            results: Vec::with_capacity(n_events),
            unexpected: None,
        }
    }

    pub(crate) fn add<E: Event<Answer = Applied, Error = Rejected>>(
        &mut self,
        outcome: Outcome<E>,
    ) {
        match outcome.result {
            Ok(applied) => self.results.push(Ok(applied)),
            Err(EventError::Failed(reason)) => self.results.push(Err(reason)),
            Err(error) => {
                let position = outcome.position;
                self.unexpected
                    .get_or_insert_with(|| format!("event {position}: {error}"));
            }
        }
    }

    /// # Errors
    ///
    /// Fails if an event was rejected before its handler ran.
    pub(crate) fn finish(self) -> Result<Vec<EventResult>, BoxError> {
        match self.unexpected {
            Some(unexpected) => Err(unexpected.into()),
            None => Ok(self.results),
        }
    }
}

fn with_locks<B: Workload>(workload: &B, work: Work, pool: &ThreadPool) -> Run {
    let locks = B::lock(workload.tables());
    let entries = workload.entries();
    let start = Instant::now();
    let results = pool.install(|| {
        let all = entries.par_iter();
        all.map(|entry| B::apply_locked(&locks, entry, &work))
            .collect()
    });
    Run {
        elapsed: start.elapsed(),
        balances: B::balances(&B::unlock(locks)),
        results,
    }
}
