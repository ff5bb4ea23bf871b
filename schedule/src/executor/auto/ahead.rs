//! Expected time of this run and of the runs that follow.

use super::estimate::Start;
use super::{Auto, Temperature, Way};

/// The remaining runs of the current burst, including the one that starts now.
pub(super) struct Ahead<'a> {
    pub(super) auto: &'a Auto,
    pub(super) temperature: Temperature,
    pub(super) n_threads: usize,
    /// The expected number of runs, including this one.
    pub(super) left: f64,
}

impl Ahead<'_> {
    /// Nanoseconds: the total time of these runs, if this run has the given mode.
    pub(super) fn total(&self, way: Way) -> f64 {
        let (now, later) = self.of(way);
        now + later
    }

    /// Nanoseconds: the time of this run, and the total of the following ones.
    pub(super) fn of(&self, way: Way) -> (f64, f64) {
        self.sum(way, |start, way| {
            self.auto.expected(start, way, self.n_threads)
        })
    }

    /// Nanoseconds: the same total, if the estimate of the tried mode is too high by now. For example, other programs
    /// may have used the processors.
    pub(super) fn total_at_best(&self, tried: Way) -> f64 {
        let (now, later) = self.sum(tried, |start, way| {
            let expected = self.auto.expected(start, way, self.n_threads);
            match way == tried {
                true => expected.min(self.auto.model.ns(start, way, self.n_threads)),
                false => expected,
            }
        });
        now + later
    }

    fn sum(&self, way: Way, ns: impl Fn(Start, Way) -> f64) -> (f64, f64) {
        let now = ns(self.auto.start(self.temperature, way), way);
        let later = self.left - 1.0;
        if later <= 0.0 {
            return (now, 0.0);
        }
        let stay = later * ns(Start::Helped, way);
        let first = later.min(1.0);
        let turn_to = |way| {
            let behind = match later - first {
                // Avoids `0 * ∞`, which is not a number.
                0.0 => 0.0,
                n => n * ns(Start::Helped, way),
            };
            first * ns(Start::Alone, way) + behind
        };
        let later = match (self.temperature, way) {
            // A serial run may be best only because of the pause. Then the following runs may use another mode.
            (Temperature::Cold, Way::Serial) => stay
                .min(turn_to(Way::Timetabled))
                .min(turn_to(Way::Parallel)),
            _ => stay,
        };
        (now, later)
    }
}
