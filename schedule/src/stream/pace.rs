//! Which way events are processed: one after the other on the thread that calls, or on several at once.
//!
//! What an event takes is measured by the stretch, each way. Several threads are tried when events take long enough for it,
//! and kept as long as events take less time so, by the mean of many stretches: in one of them a thread may have been
//! interrupted, and in some events may have to wait for each other that do not later. After a trial that did not pay, the next
//! one waits twice as long. So a stream of which hardly two events can be processed at once loses little by trying.

use core::time::Duration;
use std::time::Instant;

/// Of events that take less than this, in nanoseconds, two threads cannot process more than one: what passes from one
/// processor to the other takes as long.
const LEAST_NS: f64 = 150.0;
/// So many times as fast as one thread several have to be, to be kept.
const WORTH: f64 = 1.04;
/// Who is not even so fast is hopeless: twice at first, or some times in a row.
const HOPELESS: f64 = 0.75;
const N_HOPELESS: u32 = 4;
/// Stretches that count; what was before them is forgotten.
const MEMORY: u32 = 16;
/// No stretch counts for less than so much of the mean.
const ODD: f64 = 0.5;
/// Who was kept for so many stretches is tried again soon.
const N_GOOD: u32 = 16;
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
    /// So many times as fast as one thread: the first three measured stretches, and the mean from then on. Of speeds, since
    /// stretches take as long as each other.
    first: [f64; 3],
    mean: f64,
    n_measured: u32,
    /// The last ones, in a row, that were hopeless.
    n_hopeless: u32,
}

/// What is made of a stretch on several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    GoOn,
    /// It pays, and it is time to see what an event takes on one.
    Look,
    Leave,
}

impl Stretch {
    /// It was so many times as fast as one thread.
    fn judge(&mut self, speed: f64) -> Verdict {
        if let Some(first) = self.first.get_mut(self.n_measured as usize) {
            *first = speed;
        }
        self.n_measured += 1;
        self.n_hopeless = match speed < HOPELESS {
            true => self.n_hopeless + 1,
            false => 0,
        };
        let is_bad = match self.n_measured {
            1 => false,
            2 => self.n_hopeless == 2,
            n => {
                let change = speed.max(ODD * self.mean) - self.mean;
                self.mean = match n {
                    3 => median(self.first),
                    n => self.mean + change / f64::from(n.min(MEMORY)),
                };
                self.mean < WORTH || self.n_hopeless >= N_HOPELESS
            }
        };
        match is_bad {
            true => Verdict::Leave,
            false if self.n_measured == N_PARALLEL => Verdict::Look,
            false => Verdict::GoOn,
        }
    }
}

impl Pace {
    pub(super) fn new() -> Self {
        Self {
            inline_ns: None,
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
        let new = each(n, time);
        let mixed = |ns: f64| KEPT * ns + (1.0 - KEPT) * new;
        self.inline_ns = Some(self.inline_ns.map_or(new, mixed));
    }

    /// Whether the stretch on several threads goes on, after the outcomes of so many events were told.
    pub(super) fn goes_on(&mut self, n_told: usize) -> bool {
        if !self.is_parallel || self.must_look {
            // What is on its way is processed yet.
            return false;
        }
        let inline_ns = self.inline_ns.unwrap_or(UNKNOWN_NS);
        let look = |time: Duration| (time.as_nanos() as f64 / inline_ns / 2.0) as usize;
        let stretch = self.stretch.get_or_insert_with(|| Stretch {
            start: Instant::now(),
            n_told: 0,
            n_until_look: look(WARM_UP),
            is_warm: false,
            first: [0.0; 3],
            mean: 0.0,
            n_measured: 0,
            n_hopeless: 0,
        });
        stretch.n_told += n_told;
        if stretch.n_told < stretch.n_until_look {
            return true;
        }
        let (now, n) = (Instant::now(), stretch.n_told);
        let time = now - stretch.start;
        let wanted = if stretch.is_warm { PARALLEL } else { WARM_UP };
        if time < wanted {
            stretch.n_until_look = n + (n / 4).max(1);
            return true;
        }
        let was_warm = core::mem::replace(&mut stretch.is_warm, true);
        stretch.start = now;
        stretch.n_told = 0;
        stretch.n_until_look = look(PARALLEL);
        if !was_warm {
            return true;
        }
        let verdict = stretch.judge(inline_ns / each(n, time));
        match verdict {
            Verdict::GoOn => {}
            Verdict::Look => {
                self.pause = PAUSES[0];
                self.must_look = true;
            }
            Verdict::Leave => {
                if stretch.n_measured >= N_GOOD {
                    self.pause = PAUSES[0];
                }
                self.is_parallel = false;
                self.not_before = Some(now + self.pause);
                self.pause = (2 * self.pause).min(PAUSES[1]);
            }
        }
        verdict == Verdict::GoOn
    }

    /// The stretch on several threads is over.
    pub(super) fn end_parallel(&mut self) {
        self.stretch = None;
    }
}

fn median([a, b, c]: [f64; 3]) -> f64 {
    a.min(b).max(a.max(b).min(c))
}

/// Nanoseconds for each of so many.
fn each(n: usize, time: Duration) -> f64 {
    time.as_nanos() as f64 / n.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of stretches that are so many times as fast as one thread.
    fn verdicts(speeds: &[f64]) -> Vec<Verdict> {
        let mut stretch = Stretch {
            start: Instant::now(),
            n_told: 0,
            n_until_look: 0,
            is_warm: true,
            first: [0.0; 3],
            mean: 0.0,
            n_measured: 0,
            n_hopeless: 0,
        };
        speeds.iter().map(|&speed| stretch.judge(speed)).collect()
    }

    #[test]
    fn who_is_interrupted_now_and_then_goes_on() {
        let speeds = [0.1, 1.6, 1.6, 1.6, 0.1, 1.6, 0.1, 0.1, 1.6];
        assert!(verdicts(&speeds).iter().all(|&it| it == Verdict::GoOn));
    }

    #[test]
    fn stretches_in_which_events_wait_for_each_other_count_with_the_others() {
        let speeds = [1.6, 1.6, 0.8, 0.7, 1.6, 0.8, 0.7, 1.6].repeat(3);
        assert!(verdicts(&speeds).iter().all(|&it| it == Verdict::GoOn));
    }

    #[test]
    fn what_takes_longer_is_left() {
        assert_eq!(verdicts(&[0.7, 0.7])[1], Verdict::Leave);
        let verdicts = verdicts(&[1.01, 1.01, 1.01]);
        assert_eq!(verdicts[1..], [Verdict::GoOn, Verdict::Leave]);
    }

    #[test]
    fn what_no_longer_pays_is_left() {
        let at = |speed: f64| {
            let verdicts = verdicts(&[[1.6; 20], [speed; 20]].concat());
            verdicts.iter().position(|&it| it == Verdict::Leave)
        };
        assert_eq!(at(0.7), Some(20 + 3));
        assert!(matches!(at(0.8), Some(24..44)), "{:?}", at(0.8));
    }

    #[test]
    fn it_is_looked_what_one_thread_takes_now_and_then() {
        let verdicts = verdicts(&[1.6; N_PARALLEL as usize]);
        let (last, before) = verdicts.split_last().unwrap();
        assert_eq!(*last, Verdict::Look);
        assert!(before.iter().all(|&it| it == Verdict::GoOn));
    }
}
