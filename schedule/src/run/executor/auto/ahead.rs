//! Expected time of this run and of the runs that follow.

use super::estimate::Start;
use super::{Mode, ModeSelector, Temperature};

/// The remaining runs of the current burst, including the one that starts now.
pub(super) struct RemainingBurst<'a> {
    pub(super) auto: &'a ModeSelector,
    pub(super) temperature: Temperature,
    pub(super) n_threads: usize,
    /// The expected number of runs, including this one.
    pub(super) left: f64,
}

impl RemainingBurst<'_> {
    /// Nanoseconds: the total time of these runs, if this run has the given mode.
    pub(super) fn total(&self, mode: Mode) -> f64 {
        let (now, later) = self.of(mode);
        now + later
    }

    /// Nanoseconds: the time of this run, and the total of the following ones.
    pub(super) fn of(&self, mode: Mode) -> (f64, f64) {
        self.sum(mode, |start, mode| {
            self.auto.expected(start, mode, self.n_threads)
        })
    }

    /// Nanoseconds: the same as [`of`](Self::of), if the estimate of the tried mode is too high by now. For example, other programs
    /// may have used the processors.
    pub(super) fn at_best(&self, tried: Mode) -> (f64, f64) {
        self.sum(tried, |start, mode| {
            let expected = self.auto.expected(start, mode, self.n_threads);
            if mode == tried {
                expected.min(self.auto.model.ns(start, mode, self.n_threads))
            } else {
                expected
            }
        })
    }

    fn sum(&self, mode: Mode, ns: impl Fn(Start, Mode) -> f64) -> (f64, f64) {
        let now = ns(self.auto.start(self.temperature, mode), mode);
        let later = self.left - 1.0;
        if later <= 0.0 {
            return (now, 0.0);
        }
        let stay = later * ns(Start::Helped, mode);
        let first = later.min(1.0);
        let switch_to = |mode| {
            let behind = match later - first {
                // Avoids `0 * ∞`, which is not a number.
                0.0 => 0.0,
                n => n * ns(Start::Helped, mode),
            };
            first * ns(Start::Alone, mode) + behind
        };
        let later = match (self.temperature, mode) {
            // A serial run may be best only because of the pause. Then the following runs may use another mode.
            (Temperature::Cold, Mode::Serial) => stay
                .min(switch_to(Mode::Timetabled))
                .min(switch_to(Mode::Parallel)),
            _ => stay,
        };
        (now, later)
    }
}
