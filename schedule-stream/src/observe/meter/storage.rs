//! The metrics of journals, snapshots and services.

use core::fmt;
use std::sync::Arc;

use metrics::{Counter, Gauge, Histogram};

use super::family::{Family, describe, recorder_address};
use super::names::storage as names;
use super::names::{WAIT, WAITING};
use super::stream::SubmitTime;
use schedule::internal::Instant;

/// The values of the label `step` of snapshots.
const STEPS: [&str; 2] = ["save", "write"];

/// The metrics of journals, snapshots and services. Clones have the same metrics.
#[derive(Clone)]
pub(crate) struct StorageMeter {
    stream: Arc<str>,
    /// The address of the recorder that has the descriptions.
    described_to: Option<usize>,
    /// `None` if there is no recorder.
    on: Option<Box<StorageFamilies>>,
}

#[derive(Clone)]
struct StorageFamilies {
    waiting: Family<Gauge>,
    wait: Family<Histogram>,
    batches_in_flight: Family<Gauge>,
    events_in_flight: Family<Gauge>,
    sync: Family<Histogram>,
    snapshot: Family<Histogram>,
    snapshot_size: Family<Histogram>,
    snapshot_errors: Family<Counter>,
    queries: Family<Counter>,
    rejected: Family<Counter>,
}

impl StorageMeter {
    /// Creates it without a recorder.
    pub(crate) fn new(stream: Arc<str>) -> Self {
        Self {
            stream,
            described_to: None,
            on: None,
        }
    }

    /// Begins a call. Looks for the recorder of this thread. Handles are registered when they are first used.
    pub(crate) fn begin_call(&mut self) {
        let recorder = recorder_address();
        self.on = recorder.map(|_| Box::new(StorageFamilies::new()));
        if recorder.is_some() && self.described_to != recorder {
            self.described_to = recorder;
            describe::<Counter>(&names::COUNTERS);
            describe::<Gauge>(&names::GAUGES);
            describe::<Histogram>(&names::HISTOGRAMS);
        }
    }

    /// Registers all handles with the recorder of this thread, for use on other threads.
    pub(crate) fn register_all(&mut self) {
        let Some(on) = &mut self.on else { return };
        let stream = &self.stream;
        let gauges = [
            &mut on.waiting,
            &mut on.batches_in_flight,
            &mut on.events_in_flight,
        ];
        for gauge in gauges {
            gauge.one(stream).set(0.0);
        }
        for (nth, step) in STEPS.iter().enumerate() {
            let _ = on.snapshot.of(stream, nth, step);
        }
        for histogram in [&mut on.wait, &mut on.sync, &mut on.snapshot_size] {
            let _ = histogram.one(stream);
        }
        for counter in [&mut on.snapshot_errors, &mut on.queries, &mut on.rejected] {
            let _ = counter.one(stream);
        }
    }

    /// Whether there is a recorder.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// Notes that the journal was written and synced, since `start`.
    pub(crate) fn note_sync(&mut self, start: Instant) {
        if let Some(on) = &mut self.on {
            on.sync.one(&self.stream).record(start.elapsed());
        }
    }

    /// Notes that the state was saved, since `start`.
    pub(crate) fn note_saved(&mut self, start: Instant, n_bytes: usize) {
        if let Some(on) = &mut self.on {
            let (stream, time) = (&self.stream, start.elapsed());
            on.snapshot.of(stream, 0, STEPS[0]).record(time);
            on.snapshot_size.one(stream).record(n_bytes as f64);
        }
    }

    /// Notes that a snapshot was written, since `start`.
    pub(crate) fn note_written(&mut self, start: Instant) {
        if let Some(on) = &mut self.on {
            let time = start.elapsed();
            on.snapshot.of(&self.stream, 1, STEPS[1]).record(time);
        }
    }

    pub(crate) fn note_snapshot_error(&mut self) {
        if let Some(on) = &mut self.on {
            on.snapshot_errors.one(&self.stream).increment(1);
        }
    }

    /// Notes that a batch begins, with events that were submitted at these times. `n_waiting` requests wait.
    pub(crate) fn begin_batch(&mut self, n_waiting: usize, submitted: &[SubmitTime]) {
        let Some(on) = &mut self.on else { return };
        on.waiting.one(&self.stream).set(n_waiting as f64);
        let (start, wait) = (Instant::now(), on.wait.one(&self.stream));
        for time in submitted {
            wait.record(time.wait_until(start));
        }
    }

    /// Notes that a batch of this number of events was processed, and is not synced.
    pub(crate) fn note_in_flight(&mut self, n_events: usize) {
        if let Some(on) = &mut self.on {
            on.batches_in_flight.one(&self.stream).increment(1.0);
            let n_events = n_events as f64;
            on.events_in_flight.one(&self.stream).increment(n_events);
        }
    }

    /// Notes that a batch of this number of events was synced, and its outcomes were released.
    pub(crate) fn note_released(&mut self, n_events: usize) {
        if let Some(on) = &mut self.on {
            on.batches_in_flight.one(&self.stream).decrement(1.0);
            let n_events = n_events as f64;
            on.events_in_flight.one(&self.stream).decrement(n_events);
        }
    }

    /// Notes that the service has ended.
    pub(crate) fn note_none_in_flight(&mut self) {
        if let Some(on) = &mut self.on {
            for gauge in [&mut on.batches_in_flight, &mut on.events_in_flight] {
                gauge.one(&self.stream).set(0.0);
            }
            on.waiting.one(&self.stream).set(0.0);
        }
    }

    pub(crate) fn note_query(&mut self) {
        if let Some(on) = &mut self.on {
            on.queries.one(&self.stream).increment(1);
        }
    }

    /// Notes that an event was not accepted.
    pub(crate) fn note_rejected(&mut self) {
        if let Some(on) = &mut self.on {
            on.rejected.one(&self.stream).increment(1);
        }
    }
}

impl StorageFamilies {
    fn new() -> Self {
        Self {
            waiting: Family::new(&WAITING),
            wait: Family::new(&WAIT),
            batches_in_flight: Family::new(&names::BATCHES_IN_FLIGHT),
            events_in_flight: Family::new(&names::EVENTS_IN_FLIGHT),
            sync: Family::new(&names::SYNC),
            snapshot: Family::new(&names::SNAPSHOT),
            snapshot_size: Family::new(&names::SNAPSHOT_SIZE),
            snapshot_errors: Family::new(&names::SNAPSHOT_ERRORS),
            queries: Family::new(&names::QUERIES),
            rejected: Family::new(&names::REJECTED),
        }
    }
}

impl fmt::Debug for StorageMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StorageMeter")
            .field("stream", &self.stream)
            .field("is_on", &self.is_on())
            .finish_non_exhaustive()
    }
}
