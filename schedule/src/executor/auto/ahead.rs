//! What this run and the next ones take.

use super::estimate::Start;
use super::{Auto, Temperature, Way};

/// What this run and those that follow it without a pause take.
pub(super) struct Ahead<'a> {
    pub(super) auto: &'a Auto,
    pub(super) temperature: Temperature,
    pub(super) n_threads: usize,
    /// How many they are.
    pub(super) left: f64,
}

impl Ahead<'_> {
    /// Nanoseconds.
    pub(super) fn total(&self, way: Way) -> f64 {
        let (now, later) = self.of(way);
        now + later
    }

    /// Nanoseconds: what this run takes, and those that follow, if they go the same way.
    pub(super) fn of(&self, way: Way) -> (f64, f64) {
        self.sum(way, |start, way| {
            self.auto.expected(start, way, self.n_threads)
        })
    }

    /// Nanoseconds: all of it, if what was learned of this way is wrong by now. Perhaps other programs had the processors.
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
                // Not even if it is infinite.
                0.0 => 0.0,
                n => n * ns(Start::Helped, way),
            };
            first * ns(Start::Alone, way) + behind
        };
        let later = match (self.temperature, way) {
            // It may be the pause alone that makes one thread better.
            (Temperature::Cold, Way::Serial) => stay
                .min(turn_to(Way::Timetabled))
                .min(turn_to(Way::Parallel)),
            _ => stay,
        };
        (now, later)
    }
}
