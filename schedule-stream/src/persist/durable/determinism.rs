//! A check for tests: the same batches give the same outcomes and the same state in several streams. See
//! [`check_deterministic`](crate::testing::check_deterministic).

use core::fmt;
use std::sync::Arc;

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::comparison::{differences, write_names};
use super::different::DifferentOutcome;
use super::digest;
use super::error::DurableError;
use super::stream::DurableStream;
use super::{Durable, DurableEvent};
use crate::base::position::BatchTime;
use crate::engine::lanes::Lanes;
use crate::engine::queues::Queues;
use crate::engine::stream::{Processing, Stream};
use crate::persist::journal::{MemoryJournal, MemorySnapshots};
use crate::program::outcome::Outcome;
use schedule::Resources;
use schedule::snapshot::{Decoder, Encoder, Snapshot, SnapshotReader};

/// Two streams have different outcomes or states after the same batches.
#[derive(Debug)]
#[non_exhaustive]
pub enum NotDeterministic {
    /// An outcome differs.
    Outcome {
        /// The streams.
        streams: [&'static str; 2],
        /// The first outcome that differs, with those of both streams.
        outcome: Box<DifferentOutcome>,
    },
    /// The states after a batch differ.
    State {
        /// The streams.
        streams: [&'static str; 2],
        /// The batch.
        batch: u64,
        /// The names of the saved types that differ.
        sections: Vec<String>,
    },
    /// A stream has failed.
    Failed(Box<DurableError>),
}

impl fmt::Display for NotDeterministic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome { streams, outcome } => {
                let [first, second] = streams;
                write!(
                    f,
                    "{outcome}: the stream {second} differs from the one {first}; "
                )?;
            }
            Self::State {
                streams: [first, second],
                batch,
                sections,
            } => {
                write!(f, "after batch {batch}, ")?;
                let names = if sections.len() == 1 {
                    "value"
                } else {
                    "values"
                };
                write!(f, "the {names} of ")?;
                write_names(f, sections)?;
                write!(
                    f,
                    " in the stream {second} differ from those in the one {first}; "
                )?;
            }
            Self::Failed(error) => return error.fmt(f),
        }
        f.write_str("a handler must depend only on its event, its position, the batch time and declared resources")
    }
}

impl std::error::Error for NotDeterministic {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Failed(error) => error.source(),
            _ => None,
        }
    }
}

impl<X: Into<DurableError>> From<X> for NotDeterministic {
    fn from(error: X) -> Self {
        Self::Failed(Box::new(error.into()))
    }
}

/// The time of the first batch. The time of a batch is a part of the input, so all streams have the same.
const FIRST_TIME: BatchTime = BatchTime::from_nanos(1_700_000_000_000_000_000);

/// A stream and the outcomes of its last batches.
struct Tried<E: DurableEvent> {
    name: &'static str,
    stream: DurableStream<E>,
}

/// An outcome in a form that can be compared.
struct TriedOutcome {
    outcome: DifferentOutcome,
    /// `None` if the answer or error cannot be written.
    bytes: Option<Vec<u8>>,
}

impl TriedOutcome {
    fn new<E: DurableEvent>(outcome: &Outcome<E>) -> Self {
        let mut bytes = Encoder::new();
        let written = digest::write(outcome, &mut bytes);
        Self {
            outcome: DifferentOutcome::new(outcome.position, Some(outcome)),
            bytes: written.is_ok().then(|| bytes.into_bytes()),
        }
    }
}

/// Sets the mode of a stream.
type SetMode<E> = fn(&mut Stream<E>);

/// See [`check_deterministic`](crate::testing::check_deterministic).
pub(crate) fn check<E: DurableEvent>(
    program: &dyn Fn() -> Durable<E>,
    resources: &dyn Fn() -> Resources,
    batches: &mut dyn Iterator<Item = Vec<E>>,
) -> Result<(), NotDeterministic> {
    let serial = |stream: &mut Stream<E>| stream.set_processing(Processing::Serial);
    // Hash maps of each stream have other seeds, and each runs at another time of the clock.
    let streams: [(&str, SetMode<E>, usize); 4] = [
        ("on one thread", serial, 1),
        ("again on one thread", serial, 1),
        ("on 2 threads", Stream::set_structure::<Lanes>, 2),
        ("on 4 threads", Stream::set_structure::<Queues>, 4),
    ];
    let mut tried = Vec::new();
    for (name, set_mode, n_threads) in streams {
        let pool = pool(n_threads);
        let durable = program().set_up(move |stream| {
            set_mode(stream);
            stream.set_pool(pool);
        });
        let (journal, snapshots) = (MemoryJournal::new(), MemorySnapshots::new());
        let stream = durable.recover_from(Box::new(journal), Box::new(snapshots), resources());
        let mut stream = stream?;
        let mut nanos = FIRST_TIME.as_nanos();
        stream.set_clock(move || {
            nanos += 1_000_000_000;
            BatchTime::from_nanos(nanos)
        });
        tried.push(Tried { name, stream });
    }
    for batch in batches {
        // Each stream takes its own events, as from a journal.
        let mut bytes = Encoder::new();
        for event in &batch {
            bytes.save(event)?;
        }
        let n = batch.len();
        drop(batch);
        run_step(&mut tried, |of| {
            let mut events = Decoder::new(bytes.as_bytes());
            let restore = |_| events.restore::<E>(<E as Snapshot>::VERSION);
            let events: Vec<E> = (0..n).map(restore).collect::<Result<_, _>>()?;
            let (mut events, mut seen) = (events.into_iter(), Vec::new());
            loop {
                of.process_batch(events.by_ref(), |outcome| {
                    seen.push(TriedOutcome::new(&outcome));
                })?;
                // A full batch leaves the rest.
                if events.len() == 0 {
                    return Ok(seen);
                }
            }
        })?;
    }
    // Follow-up events that wait.
    while tried[0].stream.n_pending() > 0 {
        run_step(&mut tried, |of| {
            let mut seen = Vec::new();
            of.drain(1, |outcome| seen.push(TriedOutcome::new(&outcome)))?;
            Ok(seen)
        })?;
    }
    Ok(())
}

/// Lets all streams process, and compares them with the first one.
fn run_step<E: DurableEvent>(
    tried: &mut [Tried<E>],
    mut step: impl FnMut(&mut DurableStream<E>) -> Result<Vec<TriedOutcome>, DurableError>,
) -> Result<(), NotDeterministic> {
    let mut first: Option<(&'static str, Vec<TriedOutcome>, Vec<u8>)> = None;
    for one in tried {
        let seen = step(&mut one.stream)?;
        let state = one.stream.saved_state()?;
        let Some((name, expected, expected_state)) = &first else {
            first = Some((one.name, seen, state));
            continue;
        };
        let streams = [*name, one.name];
        if let Some(outcome) = first_difference(expected, &seen) {
            let outcome = Box::new(outcome);
            return Err(NotDeterministic::Outcome { streams, outcome });
        }
        let expected = SnapshotReader::new(expected_state)?;
        let (sections, _) = differences(&SnapshotReader::new(&state)?, &expected);
        if !sections.is_empty() {
            let batch = one.stream.next_batch() - 1;
            return Err(NotDeterministic::State {
                streams,
                batch,
                sections,
            });
        }
    }
    Ok(())
}

fn first_difference(expected: &[TriedOutcome], now: &[TriedOutcome]) -> Option<DifferentOutcome> {
    let position = |seen: &TriedOutcome| seen.outcome.position;
    for (before, now) in expected.iter().zip(now) {
        let differs = position(before) != position(now)
            || before.bytes != now.bytes && before.bytes.is_some() && now.bytes.is_some();
        if differs {
            return Some(DifferentOutcome {
                before: before.outcome.now.clone(),
                ..now.outcome.clone()
            });
        }
    }
    let n_common = expected.len().min(now.len());
    if let Some(new) = now.get(n_common) {
        return Some(new.outcome.clone());
    }
    let missing = expected.get(n_common)?;
    Some(DifferentOutcome {
        now: None,
        before: missing.outcome.now.clone(),
        ..missing.outcome.clone()
    })
}

fn pool(n_threads: usize) -> Arc<ThreadPool> {
    let pool = ThreadPoolBuilder::new().num_threads(n_threads).build();
    Arc::new(pool.expect("threads can be started"))
}
