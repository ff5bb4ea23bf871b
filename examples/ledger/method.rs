//! The three methods of processing the events.

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
use crate::result::{EventResult, Tally};
use crate::work::Work;
use crate::workload::Workload;

/// The results and the duration of one method.
pub(crate) struct Measurement {
    pub(crate) name: &'static str,
    pub(crate) state: Digest,
    pub(crate) outcomes: Digest,
    pub(crate) tally: Tally,
    /// Median of all rounds.
    pub(crate) elapsed: Duration,
    /// Whether all rounds had the same result.
    pub(crate) is_deterministic: bool,
}

/// The result of one method in one round.
struct Run {
    balances: Vec<u128>,
    results: Vec<EventResult>,
    elapsed: Duration,
}

/// Number of rounds. Each round runs all methods once.
const N_ROUNDS: usize = 5;

const NAMES: [&str; 3] = ["serial loop", "stream", "mutex per account"];

/// Runs the loop, the stream and the locks, and returns their results in this order.
pub(crate) fn run_all<B: Workload>(
    workload: &B,
    options: &Options,
) -> Result<[Measurement; 3], BoxError> {
    let pool = ThreadPoolBuilder::new().num_threads(options.n_threads);
    let pool = Arc::new(pool.build()?);
    let work = Work::new(options.handler_ns);
    let mut stream = Stream::<B::Entry>::new();
    stream.set_pool(Arc::clone(&pool));
    let n_events = workload.entries().len() as u64;
    // The bar is drawn only in a terminal, and never while a method is measured.
    let bar = ProgressBar::new(n_events * (N_ROUNDS * NAMES.len()) as u64);
    bar.set_style(ProgressStyle::with_template(
        "{msg:>17} [{wide_bar}] {human_pos} of {human_len} events",
    )?);
    let mut runs: [Vec<Run>; 3] = Default::default();
    for _ in 0..N_ROUNDS {
        for (method, runs) in runs.iter_mut().enumerate() {
            bar.set_message(NAMES[method]);
            runs.push(match method {
                0 => serial(workload, work),
                1 => with_stream(&mut stream, workload, work)?,
                _ => with_locks(workload, work, &pool),
            });
            bar.inc(n_events);
        }
    }
    bar.finish_and_clear();
    let mut names = NAMES.into_iter();
    Ok(runs.map(|runs| Measurement::of(names.next().unwrap_or_default(), &runs)))
}

impl Measurement {
    fn of(name: &'static str, runs: &[Run]) -> Self {
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

fn serial<B: Workload>(workload: &B, work: Work) -> Run {
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
    let mut results = Vec::with_capacity(entries.len());
    let mut unexpected = None;
    let start = Instant::now();
    stream.process(
        &mut resources,
        entries.iter().copied(),
        |outcome| match outcome.result {
            Ok(applied) => results.push(Ok(applied)),
            Err(EventError::Failed(reason)) => results.push(Err(reason)),
            Err(error) => {
                unexpected.get_or_insert_with(|| format!("event {}: {error}", outcome.position));
            }
        },
    )?;
    let elapsed = start.elapsed();
    match unexpected {
        Some(unexpected) => Err(unexpected.into()),
        None => Ok(Run {
            elapsed,
            balances: B::balances_in(&resources),
            results,
        }),
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
