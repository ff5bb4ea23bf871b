//! The time of an event on one thread, measured in stretches.
//!
//! The thread may be interrupted in a stretch, so the longest stretch does not count. All others do, because a few
//! events may take much longer than most.

use core::time::Duration;
use std::collections::VecDeque;

/// The length of a stretch on one thread.
const STRETCH: Duration = Duration::from_micros(50);
/// Maximum number of events in a stretch. It is 1 if an event takes longer than a stretch: no helper is active
/// meanwhile.
const MOST_EVENTS: usize = 10_000;
/// Number of first stretches that do not count, because the caches were cold.
const N_COLD: u32 = 2;
/// Number of last stretches that count. Many, because one of a thousand events may take as long as all others.
const N_KEPT: usize = 256;
/// Minimum number of stretches for which the longest one does not count.
const N_ENOUGH: usize = 3;
/// For the time without interruptions, one of this number of stretches does not count: the longest ones. A busy machine
/// interrupts a thread every few milliseconds, so fewer stretches are interrupted.
const STEADY: usize = 16;
/// With more stretches than this, the mean is updated only after this number of new ones.
const FEW: usize = 16;
/// Number of short stretches in a look. If some events take much longer than most, these would show little: a look then
/// has the second number of long stretches. It is extended to that number if the usual time has changed, because
/// earlier stretches then had other events.
const N_LOOK: usize = N_ENOUGH;
const N_LONG_LOOK: usize = 16;
/// Times that differ by more than this factor count as changed.
const MUCH: f64 = 1.25;

/// See the module.
#[derive(Debug)]
pub(super) struct Cost {
    /// The mean time of an event, in nanoseconds.
    ns: Option<f64>,
    /// The mean time of an event without interruptions, in nanoseconds.
    steady_ns: Option<f64>,
    /// Scratch memory of `find_steady`.
    sorted: Vec<InlineStretch>,
    /// The stretches that count.
    kept: VecDeque<InlineStretch>,
    /// The number of all stretches.
    pub(super) n_stretches: u32,
    /// The number of stretches that remain in the current look.
    n_to_look: usize,
    /// The number of stretches of the current look, and the usual time before it.
    look: Option<(usize, f64)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct InlineStretch {
    n_events: f64,
    ns: f64,
}

impl InlineStretch {
    fn ns_each(&self) -> f64 {
        self.ns / self.n_events
    }
}

impl Cost {
    pub(super) fn new() -> Self {
        Self {
            ns: None,
            steady_ns: None,
            sorted: Vec::with_capacity(N_KEPT),
            kept: VecDeque::with_capacity(N_KEPT),
            n_stretches: 0,
            n_to_look: 0,
            look: None,
        }
    }

    /// Returns the mean time of an event, in nanoseconds.
    pub(super) fn ns(&self) -> Option<f64> {
        self.ns
    }

    /// Returns the mean time of an event without interruptions, in nanoseconds. It is also less than [`ns`](Self::ns)
    /// if a few events take much longer than others.
    pub(super) fn steady_ns(&self) -> Option<f64> {
        self.steady_ns
    }

    /// Starts a look: new measurements.
    pub(super) fn look(&mut self) {
        let usual = self.usual(self.kept.len());
        let is_long = usual.is_some_and(|usual| self.mean() > MUCH * usual);
        self.n_to_look = if is_long { N_LONG_LOOK } else { N_LOOK };
        self.look = usual.map(|usual| (self.n_to_look, usual));
    }

    pub(super) fn is_looking(&self) -> bool {
        self.n_to_look > 0
    }

    /// Returns the number of events of the next stretch.
    pub(super) fn next(&self) -> usize {
        let Some(ns) = self.ns else {
            return 1;
        };
        let n = ((STRETCH.as_nanos() as f64 / ns.max(1.0)) as usize).clamp(1, MOST_EVENTS);
        match self.look {
            Some((N_LOOK, _)) => n.div_ceil(N_LOOK),
            _ => n,
        }
    }

    /// Notes a stretch of `n` events.
    pub(super) fn note(&mut self, n: usize, time: Duration) {
        if n == 0 {
            return;
        }
        if self.n_stretches <= N_COLD {
            self.kept.clear();
        }
        if self.kept.len() == N_KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(InlineStretch {
            n_events: n as f64,
            ns: time.as_nanos() as f64,
        });
        self.n_stretches = self.n_stretches.saturating_add(1);
        self.n_to_look = self.n_to_look.saturating_sub(1);
        // An update of the mean takes longer than a note.
        let mut is_due = self.kept.len() <= FEW || (self.n_stretches as usize).is_multiple_of(FEW);
        if self.n_to_look == 0
            && let Some((n_look, before)) = self.look.take()
            && let Some(now) = self.usual(n_look)
        {
            self.compare(n_look, now / before);
            is_due = true;
        }
        if is_due && (self.kept.len() >= N_ENOUGH || self.n_stretches <= N_COLD) {
            self.ns = Some(self.mean());
            self.steady_ns = Some(self.find_steady());
        }
    }

    /// Returns the mean without the longest of each [`STEADY`] stretches, and without at least one. Allocates nothing.
    /// O(stretches).
    fn find_steady(&mut self) -> f64 {
        self.sorted.clear();
        self.sorted.extend(&self.kept);
        let n_kept = self.sorted.len();
        let n_left_out = match n_kept {
            ..N_ENOUGH => 0,
            _ => n_kept.div_ceil(STEADY),
        };
        if n_left_out > 0 {
            let first_out = n_kept - n_left_out;
            let by_each =
                |a: &InlineStretch, b: &InlineStretch| a.ns_each().total_cmp(&b.ns_each());
            self.sorted.select_nth_unstable_by(first_out, by_each);
            self.sorted.truncate(first_out);
        }
        let sum = |of: fn(&InlineStretch) -> f64| self.sorted.iter().map(of).sum::<f64>();
        sum(|one| one.ns) / sum(|one| one.n_events)
    }

    /// Ends a look of `n_look` stretches. `ratio` is the usual time, relative to the time before.
    fn compare(&mut self, n_look: usize, ratio: f64) {
        let n_before = self.kept.len().saturating_sub(n_look);
        if ratio.max(1.0 / ratio) > MUCH {
            self.kept.drain(..n_before);
            self.n_to_look = N_LONG_LOOK.saturating_sub(n_look);
            return;
        }
        // Unusual events are assumed to be as frequent as before.
        let before = self.kept.iter_mut().take(n_before);
        before.for_each(|stretch| stretch.ns *= ratio);
    }

    /// Returns the usual time of an event: the median of the last `n` stretches.
    fn usual(&self, n: usize) -> Option<f64> {
        let last = self.kept.iter().rev().take(n);
        let mut each: Vec<f64> = last.map(InlineStretch::ns_each).collect();
        let middle = each.len() / 2;
        (!each.is_empty()).then(|| *each.select_nth_unstable_by(middle, f64::total_cmp).1)
    }

    fn mean(&self) -> f64 {
        let longest = |one: &&InlineStretch, other: &&InlineStretch| {
            one.ns_each().total_cmp(&other.ns_each())
        };
        let longest = self.kept.iter().max_by(longest);
        let left_out = match longest {
            Some(longest) if self.kept.len() >= N_ENOUGH => *longest,
            _ => InlineStretch::default(),
        };
        let sum =
            |of: fn(&InlineStretch) -> f64| self.kept.iter().map(of).sum::<f64>() - of(&left_out);
        sum(|one| one.ns) / sum(|one| one.n_events)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Notes stretches with these times per event, in nanoseconds.
    fn note(cost: &mut Cost, ns: impl IntoIterator<Item = u64>) {
        for ns in ns {
            cost.note(100, Duration::from_nanos(100 * ns));
        }
    }

    #[test]
    fn empty_stretch_does_not_count() {
        let mut cost = Cost::new();
        note(&mut cost, [9_000, 1_000, 1_000]);
        cost.note(0, Duration::from_micros(50));
        assert_eq!(cost.ns(), Some(1_000.0));
    }

    #[test]
    fn first_and_longest_stretches_do_not_count() {
        let mut cost = Cost::new();
        note(&mut cost, [9_000, 2_000]);
        assert_eq!(cost.ns(), Some(2_000.0), "there is no other stretch");
        note(&mut cost, [1_000, 1_000, 40_000, 1_000]);
        assert_eq!(cost.ns(), Some(1_000.0));
        note(&mut cost, [3_000; N_KEPT + FEW]);
        assert_eq!(cost.ns(), Some(3_000.0), "the last stretches count");
    }

    #[test]
    fn few_long_events_count() {
        let mut cost = Cost::new();
        // One event of four hundred takes 300 µs, the others take 300 ns.
        let stretches = (0..N_KEPT as u64).map(|nth| if nth % 4 == 0 { 3_300 } else { 300 });
        note(&mut cost, stretches);
        let ns = cost.ns().unwrap();
        assert!((700.0..1_050.0).contains(&ns), "{ns}");
    }

    #[test]
    fn stretches_of_long_events_have_few_events() {
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
    fn look_with_a_changed_time_is_long() {
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
        assert_eq!(look(500), (N_LONG_LOOK, Some(500.0)));
        assert_eq!(look(5_000), (N_LONG_LOOK, Some(5_000.0)));
    }

    #[test]
    fn look_keeps_rare_long_events() {
        let mut cost = Cost::new();
        // One stretch of eight takes nine times as long as the others.
        let stretches = |n: u64| (0..n).map(|nth| if nth % 8 == 7 { 9_000 } else { 1_000 });
        note(&mut cost, stretches(N_KEPT as u64 + 2));
        let ns = cost.ns().unwrap();
        assert!((1_900.0..2_000.0).contains(&ns), "{ns}");
        let mut look = |ns: u64| {
            cost.look();
            assert_eq!(cost.n_to_look, N_LONG_LOOK, "the look is long");
            note(&mut cost, [ns; N_LONG_LOOK]);
            assert!(!cost.is_looking());
            cost.ns().unwrap()
        };
        // All kept stretches are in use: those of the look replace others.
        let ns = look(1_000);
        assert!((1_800.0..2_000.0).contains(&ns), "{ns}");
        // Usual events take longer, so rare ones are assumed to do so.
        let more = look(1_200);
        assert!((1.05 * ns..1.2 * ns).contains(&more), "{more}");
        assert_eq!(look(3_000), 3_000.0, "the events have changed");
    }
}
