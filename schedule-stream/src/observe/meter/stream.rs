//! The metrics of a stream.

use core::fmt;
use core::time::Duration;
use std::collections::VecDeque;
use std::sync::Arc;

use metrics::{Counter, Gauge, Histogram};

use super::family::{Family, default_name, describe, recorder_address};
use super::{ErrorLabel, ModeLabel, names};
use crate::program::handler::HandlerDeclaration;
use schedule::internal::Instant;

/// One handler call in this number is measured.
const SAMPLE: u64 = 64;
/// The values of the label `mode`, by [`ModeLabel`].
const MODES: [&str; 3] = ["inline", "lanes", "queues"];
/// The values of the label `reason`, by [`ErrorLabel`]. The first [`N_FAILED`] are those of failed events.
const REASONS: [&str; 10] = [
    "error",
    "panic",
    "follow_ups",
    "missing",
    "too_large",
    "alias",
    "skipped",
    "stopped",
    "panic_before_call",
    "dead_letter",
];
const N_FAILED: usize = 3;

/// The number of events that had to wait for an earlier one.
#[derive(Debug, Default)]
pub(crate) struct ConflictCount(u64);

impl ConflictCount {
    /// Counts an event.
    #[inline(always)]
    pub(crate) fn note(&mut self, waits: bool) {
        self.0 += u64::from(waits);
    }

    /// Returns the number, and begins at 0 again.
    #[inline(always)]
    pub(crate) fn take(&mut self) -> u64 {
        core::mem::take(&mut self.0)
    }
}

/// The time at which an event was submitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SubmitTime(Instant);

impl SubmitTime {
    #[inline]
    pub(crate) fn now() -> Self {
        Self(Instant::now())
    }

    /// Returns whether the submission at this index of a batch has a time. So each batch has at least one.
    #[inline(always)]
    pub(crate) fn is_sampled(index: u32) -> bool {
        u64::from(index).is_multiple_of(SAMPLE)
    }

    /// Returns the time until `start`, in seconds; 0 if that was before.
    #[cfg(feature = "durable")]
    pub(super) fn wait_until(self, start: Instant) -> f64 {
        start.saturating_duration_since(self.0).as_secs_f64()
    }
}

/// The metrics of a stream.
#[derive(Default)]
pub(crate) struct StreamMeter {
    /// `None` if there is no recorder, or if the stream is not measured.
    on: Option<Box<Recording>>,
    /// The memory of `on` while there is no recorder.
    kept: Option<Box<Recording>>,
    is_disabled: bool,
    /// Whether the handles are kept for all calls, on any thread.
    is_fixed: bool,
    /// The number of further events until one is measured.
    until_sample: u64,
}

/// The handles, and the numbers that they did not get yet.
struct Recording {
    /// The address of the recorder that has the descriptions.
    described_to: Option<usize>,
    stream: Arc<str>,
    handlers: &'static [HandlerDeclaration],
    mode: ModeLabel,
    /// Number of events of the call that are counted in `events`.
    n_counted: u64,
    n_conflicts: u64,
    /// By [`ErrorLabel`].
    n_errors: [u64; REASONS.len()],
    /// The handler calls that were measured: the case, the time, and whether it was slow.
    handled: Vec<(u16, Duration, bool)>,
    /// The numbers of the batches that are not reported, and when they began.
    batches: VecDeque<(u64, Instant)>,
    families: Box<StreamFamilies>,
}

struct StreamFamilies {
    events: Family<Counter>,
    stretches: Family<Counter>,
    conflicts: Family<Counter>,
    failed: Family<Counter>,
    refused: Family<Counter>,
    slow: Family<Counter>,
    pending: Family<Gauge>,
    waiting: Family<Gauge>,
    wait: Family<Histogram>,
    handler: Family<Histogram>,
    batch: Family<Histogram>,
}

impl StreamMeter {
    /// Sets whether the stream is measured.
    #[cfg(feature = "durable")]
    pub(crate) fn set_enabled(&mut self, is_enabled: bool) {
        self.is_disabled = !is_enabled;
    }

    /// Registers all handles with the recorder of this thread, and keeps them until [`unfix`](Self::unfix).
    #[cfg(feature = "durable")]
    pub(crate) fn fix<E>(
        &mut self,
        name: Option<&Arc<str>>,
        handlers: &'static [HandlerDeclaration],
    ) {
        self.is_fixed = false;
        self.begin_call::<E>(name, handlers);
        self.is_fixed = true;
        if let Some(on) = &mut self.on {
            on.register_all();
        }
    }

    /// Registers handles in each call again.
    #[cfg(feature = "durable")]
    pub(crate) fn unfix(&mut self) {
        self.is_fixed = false;
    }

    /// Begins a call. Looks for the recorder of this thread.
    pub(crate) fn begin_call<E>(
        &mut self,
        name: Option<&Arc<str>>,
        handlers: &'static [HandlerDeclaration],
    ) {
        if self.is_fixed {
            if let Some(on) = &mut self.on {
                on.begin_call();
            }
            return;
        }
        let recorder = if self.is_disabled {
            None
        } else {
            recorder_address()
        };
        let Some(recorder) = recorder else {
            if let Some(on) = self.on.take() {
                self.kept = Some(on);
            }
            return;
        };
        let kept = self.on.take().or_else(|| self.kept.take());
        let mut on = kept.unwrap_or_else(|| Box::new(Recording::new(handlers)));
        if on.described_to != Some(recorder) {
            on.described_to = Some(recorder);
            describe::<Counter>(&names::COUNTERS);
            describe::<Gauge>(&names::GAUGES);
            describe::<Histogram>(&names::HISTOGRAMS);
        }
        let is_named = name.map_or(!on.stream.is_empty(), |name| *name == on.stream);
        if !is_named {
            on.stream = name.map_or_else(default_name::<E>, Arc::clone);
        }
        on.families.clear();
        on.begin_call();
        self.on = Some(on);
    }

    /// Whether there is a recorder.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.on.is_some()
    }

    /// Returns the number of events of the call that arrive before the one that is measured next.
    pub(crate) fn next_sample(&self) -> u64 {
        match self.on {
            Some(_) => self.until_sample,
            None => u64::MAX,
        }
    }

    /// Returns the next number of this kind, after event `n_arrived` was measured.
    pub(crate) fn sample_after(&self, n_arrived: u64) -> u64 {
        match self.on {
            Some(_) => n_arrived + SAMPLE - 1,
            None => u64::MAX,
        }
    }

    /// Notes that a batch begins.
    pub(crate) fn begin_batch(&mut self, batch: u64) {
        if let Some(on) = &mut self.on {
            on.batches.push_back((batch, Instant::now()));
        }
    }

    /// Notes that a stretch begins in this mode. `n_arrived` events of the call have arrived.
    pub(crate) fn begin_stretch(&mut self, mode: ModeLabel, n_arrived: u64) {
        if let Some(on) = &mut self.on {
            on.count_events(n_arrived);
            on.mode = mode;
            let (nth, families) = (mode as usize, &mut *on.families);
            let stretches = families.stretches.of(&on.stream, nth, MODES[nth]);
            stretches.increment(1);
        }
    }

    #[inline]
    pub(crate) fn note_conflicts(&mut self, n: u64) {
        if let Some(on) = &mut self.on {
            on.n_conflicts += n;
        }
    }

    #[inline]
    pub(crate) fn note_error(&mut self, error: ErrorLabel) {
        if let Some(on) = &mut self.on {
            on.n_errors[error as usize] += 1;
        }
    }

    /// Notes the time of a handler call.
    pub(crate) fn note_handler(&mut self, case: u16, time: Duration, is_slow: bool) {
        if let Some(on) = &mut self.on {
            on.handled.push((case, time, is_slow));
        }
    }

    /// Notes that an event of a batch that is not reported was submitted at this time.
    pub(crate) fn note_wait(&mut self, batch: u64, submitted: SubmitTime) {
        if let Some(on) = &mut self.on
            && let Some((_, start)) = on.batches.iter().find(|begun| begun.0 == batch)
        {
            let wait = start.saturating_duration_since(submitted.0);
            on.families.wait.one(&on.stream).record(wait);
        }
    }

    /// Notes that all batches before this one are reported, and gives all numbers to the recorder.
    pub(crate) fn end_batches(
        &mut self,
        before: u64,
        n_arrived: u64,
        n_pending: usize,
        n_waiting: Option<usize>,
    ) {
        let Some(on) = &mut self.on else { return };
        while let Some((batch, start)) = on.batches.front()
            && *batch < before
        {
            on.families.batch.one(&on.stream).record(start.elapsed());
            on.batches.pop_front();
        }
        on.count_events(n_arrived);
        on.send();
        let n_pending = n_pending as f64;
        on.families.pending.one(&on.stream).set(n_pending);
        if let Some(n_waiting) = n_waiting {
            let n_waiting = n_waiting as f64;
            on.families.waiting.one(&on.stream).set(n_waiting);
        }
    }

    /// Notes that a call has ended, in which `n_arrived` events arrived. `next_sample` is the number of events before the next one
    /// that would be measured.
    pub(crate) fn end_call(&mut self, n_arrived: u64, next_sample: u64) {
        if let Some(on) = &mut self.on {
            on.count_events(n_arrived);
            on.send();
            self.until_sample = next_sample.saturating_sub(n_arrived);
        }
    }
}

impl Recording {
    fn new(handlers: &'static [HandlerDeclaration]) -> Self {
        Self {
            described_to: None,
            stream: "".into(),
            handlers,
            mode: ModeLabel::Inline,
            n_counted: 0,
            n_conflicts: 0,
            n_errors: [0; REASONS.len()],
            handled: Vec::new(),
            batches: VecDeque::new(),
            families: Box::new(StreamFamilies::new()),
        }
    }

    fn begin_call(&mut self) {
        self.n_counted = 0;
        // Left from a call that panicked.
        self.batches.clear();
    }

    fn count_events(&mut self, n_arrived: u64) {
        let n = n_arrived - self.n_counted;
        self.n_counted = n_arrived;
        if n > 0 {
            let nth = self.mode as usize;
            let events = self.families.events.of(&self.stream, nth, MODES[nth]);
            events.increment(n);
        }
    }

    /// Gives the counts and the times of handlers to the recorder.
    fn send(&mut self) {
        let (stream, families) = (&self.stream, &mut *self.families);
        let n_conflicts = core::mem::take(&mut self.n_conflicts);
        if n_conflicts > 0 {
            families.conflicts.one(stream).increment(n_conflicts);
        }
        for (nth, n) in self.n_errors.iter_mut().enumerate() {
            let n = core::mem::take(n);
            if n > 0 {
                let family = if nth < N_FAILED {
                    &mut families.failed
                } else {
                    &mut families.refused
                };
                family.of(stream, nth, REASONS[nth]).increment(n);
            }
        }
        for (case, time, is_slow) in self.handled.drain(..) {
            let nth = usize::from(case);
            let handler = self.handlers[nth].name.base();
            families.handler.of(stream, nth, handler).record(time);
            if is_slow {
                families.slow.of(stream, nth, handler).increment(1);
            }
        }
    }

    #[cfg(feature = "durable")]
    fn register_all(&mut self) {
        let (stream, families) = (&self.stream, &mut *self.families);
        for (nth, mode) in MODES.iter().enumerate() {
            let _ = families.events.of(stream, nth, mode);
            let _ = families.stretches.of(stream, nth, mode);
        }
        for (nth, reason) in REASONS.iter().enumerate() {
            let _ = if nth < N_FAILED {
                families.failed.of(stream, nth, reason)
            } else {
                families.refused.of(stream, nth, reason)
            };
        }
        for (nth, handler) in self.handlers.iter().enumerate() {
            let _ = families.handler.of(stream, nth, handler.name.base());
            let _ = families.slow.of(stream, nth, handler.name.base());
        }
        let _ = families.conflicts.one(stream);
        let _ = families.pending.one(stream);
        let _ = families.batch.one(stream);
        // A service has no other input, so `waiting` and `wait` are not used.
    }
}

impl StreamFamilies {
    fn new() -> Self {
        Self {
            events: Family::new(&names::EVENTS),
            stretches: Family::new(&names::STRETCHES),
            conflicts: Family::new(&names::CONFLICTS),
            failed: Family::new(&names::FAILED),
            refused: Family::new(&names::REFUSED),
            slow: Family::new(&names::SLOW),
            pending: Family::new(&names::PENDING),
            waiting: Family::new(&names::WAITING),
            wait: Family::new(&names::WAIT),
            handler: Family::new(&names::HANDLER),
            batch: Family::new(&names::BATCH),
        }
    }

    fn clear(&mut self) {
        self.events.clear();
        self.stretches.clear();
        self.conflicts.clear();
        self.failed.clear();
        self.refused.clear();
        self.slow.clear();
        self.pending.clear();
        self.waiting.clear();
        self.wait.clear();
        self.handler.clear();
        self.batch.clear();
    }
}

impl fmt::Debug for StreamMeter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamMeter")
            .field("is_on", &self.is_on())
            .finish_non_exhaustive()
    }
}
