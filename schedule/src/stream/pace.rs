//! Which way events are processed: one after the other on the thread that calls, or on several at once.
//!
//! What an event takes is measured by the stretch, each way. Several threads are tried when events take long enough for it,
//! and kept as long as events take less time so; after a trial that did not pay, the next one waits twice as long. So a
//! stream of which hardly two events can be processed at once loses little by trying.

use core::time::Duration;
use std::time::Instant;

/// Of events that take less than this, in nanoseconds, two threads cannot process more than one: what passes from one
/// processor to the other takes as long.
const LEAST_NS: f64 = 150.0;
/// How much of the time of one thread several may take, to be kept.
const WORTH: f64 = 0.96;
/// A stretch on one thread.
const INLINE: Duration = Duration::from_micros(50);
/// The time in which helpers come, which is not measured.
const WARM_UP: Duration = Duration::from_micros(150);
/// A measured stretch on several threads.
const PARALLEL: Duration = Duration::from_micros(500);
/// So many of those, and it is looked what events take on one thread.
const N_PARALLEL: u32 = 40;
/// The pauses between two trials.
const PAUSES: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(500)];
/// The part of the time that is known for an event before, when another is measured.
const KEPT: f64 = 0.5;
/// What an event is taken to cost before anything is known, in nanoseconds.
const UNKNOWN_NS: f64 = 1_000.0;
/// So many events are processed before it is looked what they take, when nothing is known.
const FIRST: usize = 16;

/// Which way is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// On this thread, so many events.
    Inline(usize),
    /// On several.
    Parallel,
}

/// See the module.
#[derive(Debug)]
pub(super) struct Pace {
    /// Nanoseconds that an event takes on one thread.
    inline_ns: Option<f64>,
    /// And the time of the stream for one, on several.
    parallel_ns: Option<f64>,
    is_parallel: bool,
    /// Whether the next stretch is on one thread, only to find out what events take there.
    must_look: bool,
    pause: Duration,
    /// No trial before this.
    not_before: Option<Instant>,
    /// Of the stretch on several threads that is going on.
    stretch: Option<Stretch>,
}

#[derive(Debug)]
struct Stretch {
    start: Instant,
    /// What was told since, of which the clock was looked at last.
    n_told: usize,
    n_until_look: usize,
    is_warm: bool,
    n_measured: u32,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            inline_ns: None,
            parallel_ns: None,
            is_parallel: false,
            must_look: false,
            pause: PAUSES[0],
            not_before: None,
            stretch: None,
        }
    }

    /// What to do next.
    pub(super) fn way(&mut self) -> Way {
        let Some(inline_ns) = self.inline_ns else {
            return Way::Inline(FIRST);
        };
        if core::mem::take(&mut self.must_look) {
            return Way::Inline(self.n_inline());
        }
        if self.is_parallel {
            return Way::Parallel;
        }
        let is_time = || self.not_before.is_none_or(|time| Instant::now() >= time);
        if inline_ns >= LEAST_NS && is_time() {
            self.is_parallel = true;
            return Way::Parallel;
        }
        Way::Inline(self.n_inline())
    }

    fn n_inline(&self) -> usize {
        let ns = self.inline_ns.unwrap_or(f64::MAX).max(1.0);
        ((INLINE.as_nanos() as f64 / ns) as usize).clamp(FIRST, 10_000)
    }

    /// So many events took this long on one thread.
    pub(super) fn note_inline(&mut self, n: usize, time: Duration) {
        note(&mut self.inline_ns, n, time);
    }

    /// Whether the stretch on several threads goes on, after the outcomes of so many events were told.
    pub(super) fn goes_on(&mut self, n_told: usize) -> bool {
        let inline_ns = self.inline_ns.unwrap_or(UNKNOWN_NS);
        let look = |time: Duration| (time.as_nanos() as f64 / inline_ns / 2.0) as usize;
        let stretch = self.stretch.get_or_insert_with(|| Stretch {
            start: Instant::now(),
            n_told: 0,
            n_until_look: look(WARM_UP),
            is_warm: false,
            n_measured: 0,
        });
        stretch.n_told += n_told;
        if stretch.n_told < stretch.n_until_look {
            return self.is_parallel;
        }
        let (now, n) = (Instant::now(), stretch.n_told);
        let time = now - stretch.start;
        let wanted = if stretch.is_warm { PARALLEL } else { WARM_UP };
        if time < wanted {
            stretch.n_until_look = n + (n / 4).max(1);
            return self.is_parallel;
        }
        let was_warm = core::mem::replace(&mut stretch.is_warm, true);
        stretch.start = now;
        stretch.n_told = 0;
        stretch.n_until_look = look(PARALLEL);
        if !was_warm {
            return self.is_parallel;
        }
        stretch.n_measured += 1;
        let is_last = stretch.n_measured == N_PARALLEL;
        note(&mut self.parallel_ns, n, time);
        if self.parallel_ns.is_some_and(|ns| ns > WORTH * inline_ns) {
            self.is_parallel = false;
            self.parallel_ns = None;
            self.not_before = Some(now + self.pause);
            self.pause = (2 * self.pause).min(PAUSES[1]);
        } else if is_last {
            self.pause = PAUSES[0];
            self.must_look = true;
        }
        self.is_parallel && !is_last
    }

    /// The stretch on several threads is over.
    pub(super) fn end_parallel(&mut self) {
        self.stretch = None;
    }
}

fn note(ns: &mut Option<f64>, n: usize, time: Duration) {
    let new = time.as_nanos() as f64 / n.max(1) as f64;
    *ns = Some(ns.map_or(new, |ns| KEPT * ns + (1.0 - KEPT) * new));
}
