//! What an event takes on one thread, as measured in stretches on it.
//!
//! In a stretch the thread may have been interrupted: of some, the longest does not count. All others do, since a few events may take
//! much longer than most.

use core::time::Duration;

/// A stretch on one thread.
const STRETCH: Duration = Duration::from_micros(50);
/// So many events at most. Not more than one where that takes longer: nobody helps meanwhile.
const MOST_EVENTS: usize = 10_000;
/// The first so many stretches do not count: caches held other things.
const N_COLD: u32 = 2;
/// The last ones count, so many.
const N_KEPT: usize = 16;
/// The longest does not, if there are so many.
const N_ENOUGH: usize = 3;
/// A look is so many short stretches: what was known before may be of other events. If it comes to so many times what was
/// known, or to as much less, it is a long one, of as many as are kept.
const N_LOOK: u32 = N_ENOUGH as u32;
const OTHER: f64 = 1.25;

/// See the module.
#[derive(Debug)]
pub(super) struct Cost {
    /// Of an event.
    ns: Option<f64>,
    /// In a ring: those that count.
    kept: [Stretch; N_KEPT],
    n_kept: u64,
    /// How many there were.
    pub(super) n_stretches: u32,
    /// So many are to come, only to find out.
    n_to_look: u32,
    /// What was known before the short look that goes on.
    before: Option<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    n_events: f64,
    ns: f64,
}

impl Stretch {
    fn ns_each(&self) -> f64 {
        self.ns / self.n_events
    }
}

impl Cost {
    pub(super) fn new() -> Self {
        Self {
            ns: None,
            kept: [Stretch::default(); N_KEPT],
            n_kept: 0,
            n_stretches: 0,
            n_to_look: 0,
            before: None,
        }
    }

    /// Nanoseconds that an event takes.
    pub(super) fn ns(&self) -> Option<f64> {
        self.ns
    }

    /// Begins to find out anew.
    pub(super) fn look(&mut self) {
        self.n_to_look = N_LOOK;
        self.before = self.ns;
        self.n_kept = 0;
    }

    pub(super) fn is_looking(&self) -> bool {
        self.n_to_look > 0
    }

    /// How many events the next stretch is to have.
    pub(super) fn next(&self) -> usize {
        let Some(ns) = self.ns else {
            return 1;
        };
        let n = ((STRETCH.as_nanos() as f64 / ns.max(1.0)) as usize).clamp(1, MOST_EVENTS);
        let is_short = self.is_looking() && self.before.is_some();
        if is_short {
            n.div_ceil(N_LOOK as usize)
        } else {
            n
        }
    }

    /// So many events took this long.
    pub(super) fn note(&mut self, n: usize, time: Duration) {
        if n == 0 {
            return;
        }
        if self.n_stretches <= N_COLD {
            self.n_kept = 0;
        }
        self.n_stretches = self.n_stretches.saturating_add(1);
        self.n_to_look = self.n_to_look.saturating_sub(1);
        self.kept[self.n_kept as usize % N_KEPT] = Stretch {
            n_events: n as f64,
            ns: time.as_nanos() as f64,
        };
        self.n_kept += 1;
        if self.n_kept >= N_ENOUGH as u64 || self.n_stretches <= N_COLD {
            self.ns = Some(self.mean());
        }
        if self.n_kept == N_ENOUGH as u64
            && let (Some(ns), Some(before)) = (self.ns, self.before.take())
            && (ns > OTHER * before || before > OTHER * ns)
        {
            self.n_to_look = N_KEPT as u32;
        }
    }

    fn mean(&self) -> f64 {
        let kept = &self.kept[..N_KEPT.min(self.n_kept as usize)];
        let longest = |one: &&Stretch, other: &&Stretch| one.ns_each().total_cmp(&other.ns_each());
        let longest = kept.iter().max_by(longest);
        let left_out = match longest {
            Some(longest) if kept.len() >= N_ENOUGH => *longest,
            _ => Stretch::default(),
        };
        let sum = |of: fn(&Stretch) -> f64| kept.iter().map(of).sum::<f64>() - of(&left_out);
        sum(|one| one.ns) / sum(|one| one.n_events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes the next stretches, each of which takes so long.
    fn note(cost: &mut Cost, ns: impl IntoIterator<Item = u64>) {
        for ns in ns {
            cost.note(100, Duration::from_nanos(100 * ns));
        }
    }

    #[test]
    fn an_empty_stretch_tells_nothing() {
        let mut cost = Cost::new();
        note(&mut cost, [9_000, 1_000, 1_000]);
        cost.note(0, Duration::from_micros(50));
        assert_eq!(cost.ns(), Some(1_000.0));
    }

    #[test]
    fn neither_the_first_ones_count_nor_the_longest() {
        let mut cost = Cost::new();
        note(&mut cost, [9_000, 2_000]);
        assert_eq!(cost.ns(), Some(2_000.0), "it is all that is known");
        note(&mut cost, [1_000, 1_000, 40_000, 1_000]);
        assert_eq!(cost.ns(), Some(1_000.0));
        note(&mut cost, [3_000; N_KEPT]);
        assert_eq!(cost.ns(), Some(3_000.0), "the last ones count");
    }

    #[test]
    fn few_that_take_long_count() {
        let mut cost = Cost::new();
        // One event of four hundred takes 300 µs, the others take 300 ns.
        let stretches = (0..N_KEPT as u64).map(|nth| if nth % 4 == 0 { 3_300 } else { 300 });
        note(&mut cost, stretches);
        let ns = cost.ns().unwrap();
        assert!((700.0..1_050.0).contains(&ns), "{ns}");
    }

    #[test]
    fn of_long_events_few_are_enough() {
        let n = |ns: u64| {
            let mut cost = Cost::new();
            let mut n_events = 0;
            for _ in 0..8 {
                let n = cost.next();
                cost.note(n, Duration::from_nanos(n as u64 * ns));
                n_events += n;
            }
            let first = n_events;
            cost.look();
            while cost.is_looking() {
                let n = cost.next();
                cost.note(n, Duration::from_nanos(n as u64 * ns));
                n_events += n;
            }
            [first, n_events - first]
        };
        assert_eq!(n(1_000_000), [8, 3]);
        assert_eq!(n(10_000), [1 + 7 * 5, 6]);
        assert_eq!(n(0), [1 + 7 * MOST_EVENTS, 3 * MOST_EVENTS.div_ceil(3)]);
    }

    #[test]
    fn a_look_that_comes_to_something_else_is_a_long_one() {
        let mut cost = Cost::new();
        note(&mut cost, [1_000; 20]);
        let mut look = |ns: u64| {
            cost.look();
            let mut n = 0;
            while cost.is_looking() {
                cost.note(0, Duration::ZERO);
                note(&mut cost, [ns]);
                n += 1;
            }
            (n, cost.ns())
        };
        assert_eq!(look(1_100), (3, Some(1_100.0)));
        assert_eq!(look(500), (3 + N_KEPT, Some(500.0)));
        assert_eq!(look(5_000), (3 + N_KEPT, Some(5_000.0)));
    }
}
