//! The three ways that the events go.

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

use crate::business::Business;
use crate::digest::Digest;
use crate::options::Options;
use crate::verdict::{Tally, Verdict};
use crate::work::Work;

/// What came out of one way.
pub(crate) struct Way {
    pub(crate) name: &'static str,
    pub(crate) state: Digest,
    pub(crate) outcomes: Digest,
    pub(crate) tally: Tally,
    /// In the middle of all rounds.
    pub(crate) elapsed: Duration,
    /// All rounds came to the same.
    pub(crate) is_steady: bool,
}

/// What came out of one way in one round.
struct Run {
    numbers: Vec<u128>,
    verdicts: Vec<Verdict>,
    elapsed: Duration,
}

/// Each way takes a turn in every one of them.
const N_ROUNDS: usize = 5;

const NAMES: [&str; 3] = ["serial loop", "stream", "mutex per account"];

/// The loop, the stream and the locks, in this order.
pub(crate) fn take_all<B: Business>(business: &B, options: &Options) -> Result<[Way; 3], BoxError> {
    let pool = ThreadPoolBuilder::new().num_threads(options.n_threads);
    let pool = Arc::new(pool.build()?);
    let work = Work::new(options.handler_ns);
    let mut stream = Stream::<B::Entry>::new();
    stream.set_pool(Arc::clone(&pool));
    let n_events = business.entries().len() as u64;
    // Draws nothing unless somebody looks at a terminal; and nothing while a way is timed.
    let bar = ProgressBar::new(n_events * (N_ROUNDS * NAMES.len()) as u64);
    bar.set_style(ProgressStyle::with_template(
        "{msg:>17} [{wide_bar}] {human_pos} of {human_len} events",
    )?);
    let mut runs: [Vec<Run>; 3] = Default::default();
    for _ in 0..N_ROUNDS {
        for (way, runs) in runs.iter_mut().enumerate() {
            bar.set_message(NAMES[way]);
            runs.push(match way {
                0 => serial(business, work),
                1 => through(&mut stream, business, work)?,
                _ => with_locks(business, work, &pool),
            });
            bar.inc(n_events);
        }
    }
    bar.finish_and_clear();
    let mut names = NAMES.into_iter();
    Ok(runs.map(|runs| Way::of(names.next().unwrap_or_default(), &runs)))
}

impl Way {
    fn of(name: &'static str, runs: &[Run]) -> Self {
        let mut elapsed: Vec<Duration> = runs.iter().map(|run| run.elapsed).collect();
        elapsed.sort_unstable();
        let is_same =
            |run: &Run| (&run.numbers, &run.verdicts) == (&runs[0].numbers, &runs[0].verdicts);
        Self {
            name,
            state: Digest::of_numbers(runs[0].numbers.iter().copied()),
            outcomes: Digest::of_verdicts(&runs[0].verdicts),
            tally: Tally::of(&runs[0].verdicts),
            elapsed: elapsed[elapsed.len() / 2],
            is_steady: runs.iter().all(is_same),
        }
    }
}

fn serial<B: Business>(business: &B, work: Work) -> Run {
    let mut books = business.books();
    let entries = business.entries();
    let mut verdicts = Vec::with_capacity(entries.len());
    let start = Instant::now();
    for entry in entries {
        verdicts.push(B::settle(&mut books, entry, &work));
    }
    Run {
        elapsed: start.elapsed(),
        numbers: B::numbers(&books),
        verdicts,
    }
}

/// # Errors
///
/// If the stream refuses an event for another reason than the business has.
fn through<B: Business>(
    stream: &mut Stream<B::Entry>,
    business: &B,
    work: Work,
) -> Result<Run, BoxError> {
    let mut resources = Resources::new();
    B::insert(business.books(), &mut resources);
    resources.insert(work);
    let entries = business.entries();
    let mut verdicts = Vec::with_capacity(entries.len());
    let mut surprise = None;
    let start = Instant::now();
    stream.process(
        &mut resources,
        entries.iter().copied(),
        |outcome| match outcome.result {
            Ok(settled) => verdicts.push(Ok(settled)),
            Err(EventError::Failed(refused)) => verdicts.push(Err(refused)),
            Err(error) => {
                surprise.get_or_insert_with(|| format!("event {}: {error}", outcome.position));
            }
        },
    )?;
    let elapsed = start.elapsed();
    match surprise {
        Some(surprise) => Err(surprise.into()),
        None => Ok(Run {
            elapsed,
            numbers: B::numbers_in(&resources),
            verdicts,
        }),
    }
}

fn with_locks<B: Business>(business: &B, work: Work, pool: &ThreadPool) -> Run {
    let locks = B::lock(business.books());
    let entries = business.entries();
    let start = Instant::now();
    let verdicts = pool.install(|| {
        let all = entries.par_iter();
        all.map(|entry| B::settle_locked(&locks, entry, &work))
            .collect()
    });
    Run {
        elapsed: start.elapsed(),
        numbers: B::numbers(&B::unlock(locks)),
        verdicts,
    }
}
