//! A trial of several threads: whether they process more events in the same time than one thread.

use core::time::Duration;

use super::order::Order;

/// The time in which helpers join a trial. It is not measured.
const WARM_UP: Duration = Duration::from_micros(150);
/// The length of a measured stretch on several threads.
const PARALLEL: Duration = Duration::from_micros(500);
/// The minimum speed of several threads, relative to one thread.
const WORTH: f64 = 1.04;
/// The minimum speed for short events, for which all stretches count in full.
const WORTH_SHORT: f64 = 1.1;
/// A stretch below this speed is hopeless. A trial ends after two such stretches at first, or after this number of them
/// in a row.
const HOPELESS: f64 = 0.75;
const N_HOPELESS: u32 = 4;
/// The number of stretches that have most of the weight: earlier ones fade.
const MEMORY: f64 = 16.0;
/// A stretch below this fraction of the mean speed is odd. It does not count if this number of stretches before it were
/// not odd.
const ODD: f64 = 0.5;
const N_EVEN: u32 = 3;
/// Maximum weight of a stretch, as a time: a thread was probably interrupted in a longer one.
const MOST: Duration = Duration::from_millis(1);
/// Stretches are steady if their speeds differ by at most this factor.
const STEADY: f64 = 1.25;
/// The number of stretches before the first look at one thread. The interval then doubles, up to the second number.
const LOOKS: [u32; 2] = [4, 1024];
/// Minimum number of events between two later looks. A look waits for all events in flight, which run one after the
/// other if they use the same records. They are at most 1/32 of this number.
const BETWEEN_LOOKS: usize = 1 << 16;
/// Number of events before the first look of an endless trial, or number of stretches. Such a look tries the other order,
/// and a few long events do not suffice to compare two orders.
const BEFORE_CHALLENGE: (usize, u32) = (256, 64);
/// The number of stretches after which it is known whether an order pays: the first look, because no stretch continues
/// across a look.
pub(super) const N_PROVEN: u32 = LOOKS[0];

/// The results of several threads since the start of the trial.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) order: Order,
    /// Whether it continues however slow it is, because one thread is not an alternative.
    is_endless: bool,
    /// Whether events are short, so that all stretches count in full.
    is_short: bool,
    is_warm: bool,
    /// The events and time of the current stretch.
    pub(super) n: usize,
    pub(super) time: Duration,
    /// The sum of earlier stretches, with their weights.
    all: TrialStretch,
    /// The first stretches. Their median counts.
    first: [TrialStretch; 3],
    pub(super) n_measured: u32,
    /// The number of stretches at which the next look is due.
    next_look: u32,
    /// Number of events since the last look.
    n_since_look: usize,
    /// The number of last stretches in a row that were hopeless, and that were not odd.
    n_hopeless: u32,
    n_even: u32,
}

/// The result of several threads in one or more stretches.
#[derive(Clone, Copy, Debug, Default)]
struct TrialStretch {
    n_events: f64,
    /// The time that the events would have taken on one thread, and the time that they took, in nanoseconds.
    inline_ns: f64,
    ns: f64,
}

impl TrialStretch {
    /// Returns the speed relative to one thread.
    fn speed(&self) -> f64 {
        self.inline_ns / self.ns
    }

    /// Returns the number of events per nanosecond.
    fn rate(&self) -> f64 {
        self.n_events / self.ns
    }

    /// Adds a stretch. Earlier ones fade.
    fn add(&mut self, other: TrialStretch) {
        let fade = |sum: &mut f64, one: f64| *sum += one - *sum / MEMORY;
        fade(&mut self.n_events, other.n_events);
        fade(&mut self.inline_ns, other.inline_ns);
        fade(&mut self.ns, other.ns);
    }
}

/// The conclusion from a stretch on several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    GoOn,
    /// Measure one thread again.
    Look,
    Leave,
}

impl Trial {
    pub(super) fn new(order: Order) -> Self {
        Self {
            order,
            is_endless: false,
            is_short: false,
            is_warm: false,
            n: 0,
            time: Duration::ZERO,
            all: TrialStretch::default(),
            first: [TrialStretch::default(); 3],
            n_measured: 0,
            next_look: LOOKS[0],
            n_since_look: 0,
            n_hopeless: 0,
            n_even: 0,
        }
    }

    /// Starts a trial that continues however slow it is.
    pub(super) fn endless(order: Order) -> Self {
        Self {
            is_endless: true,
            ..Self::new(order)
        }
    }

    /// Resumes the trial after a pause, in which the helpers have left.
    pub(super) fn taken_up(self) -> Self {
        Self {
            is_warm: false,
            ..self
        }
    }

    /// Returns the required length of the current stretch.
    pub(super) fn wanted(&self) -> Duration {
        if self.is_warm { PARALLEL } else { WARM_UP }
    }

    /// Adds `n` events to the current stretch. `inline_ns` is the time of an event on one thread, in nanoseconds.
    pub(super) fn note(
        &mut self,
        n: usize,
        time: Duration,
        inline_ns: f64,
        is_short: bool,
    ) -> Verdict {
        self.is_short = is_short;
        self.n += n;
        self.time += time;
        if self.time < self.wanted() {
            return Verdict::GoOn;
        }
        let n = core::mem::take(&mut self.n);
        let ns = core::mem::take(&mut self.time).as_nanos() as f64;
        if core::mem::replace(&mut self.is_warm, true) {
            self.judge(n, n as f64 * inline_ns, ns)
        } else {
            Verdict::GoOn
        }
    }

    /// Judges a stretch of `n` events that took `ns`, and would have taken `inline_ns` on one thread.
    fn judge(&mut self, n: usize, inline_ns: f64, ns: f64) -> Verdict {
        self.n_since_look += n;
        let share = if self.is_short { 1.0 } else { share(ns) };
        let stretch = TrialStretch {
            n_events: share * n as f64,
            inline_ns: share * inline_ns,
            ns: share * ns,
        };
        let speed = stretch.speed();
        if let Some(first) = self.first.get_mut(self.n_measured as usize) {
            *first = stretch;
        }
        self.n_measured = self.n_measured.saturating_add(1);
        self.n_hopeless = if speed < HOPELESS {
            self.n_hopeless + 1
        } else {
            0
        };
        let is_odd = !self.is_short && self.n_measured > 2 && speed < ODD * self.speed();
        let is_passed_over = is_odd && self.n_even >= N_EVEN.min(self.n_measured - 1);
        self.n_even = if is_odd { 0 } else { self.n_even + 1 };
        if !is_passed_over {
            self.all.add(stretch);
        }
        let is_bad = match self.n_measured {
            _ if self.is_endless => false,
            1 => false,
            2 if self.is_short => self.speed() < HOPELESS,
            _ if self.is_short => self.speed() < WORTH_SHORT,
            2 => self.n_hopeless == 2,
            3 => self.speed() < WORTH,
            _ => self.speed() < WORTH || self.n_hopeless >= N_HOPELESS,
        };
        let [first, most] = LOOKS;
        let may_look = if self.next_look > first {
            self.n_since_look >= BETWEEN_LOOKS
        } else {
            let (n_events, n_stretches) = BEFORE_CHALLENGE;
            let has_enough = self.n_since_look >= n_events || self.n_measured >= n_stretches;
            !self.is_endless || has_enough
        };
        if is_bad {
            Verdict::Leave
        } else if may_look && self.n_measured >= self.next_look {
            self.next_look = self.n_measured.saturating_add(self.n_measured.min(most));
            self.n_since_look = 0;
            Verdict::Look
        } else {
            Verdict::GoOn
        }
    }

    /// Returns the speed relative to one thread.
    fn speed(&self) -> f64 {
        self.of(TrialStretch::speed)
    }

    /// Returns the number of events per nanosecond. Compare trials by this: the time on one thread may have been
    /// measured again in between.
    pub(super) fn rate(&self) -> f64 {
        self.of(TrialStretch::rate)
    }

    /// Returns whether the first three stretches had similar speeds.
    pub(super) fn is_steady(&self) -> bool {
        let rates = self.first.each_ref().map(TrialStretch::rate);
        let [least, most] = [f64::min, f64::max].map(|of| rates.into_iter().fold(rates[0], of));
        most <= STEADY * least
    }

    /// Returns the median of the first three stretches, or later the weighted mean.
    fn of(&self, figure: impl Fn(&TrialStretch) -> f64) -> f64 {
        match self.n_measured {
            0..=3 if !self.is_short => median(self.first.each_ref().map(figure)),
            _ => figure(&self.all),
        }
    }
}

/// Returns the fraction of a stretch of this length that counts.
pub(super) fn share(ns: f64) -> f64 {
    (MOST.as_nanos() as f64 / ns).min(1.0)
}

fn median([a, b, c]: [f64; 3]) -> f64 {
    a.min(b).max(a.max(b).min(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRETCH: Duration = Duration::from_micros(600);

    /// Returns the verdicts on stretches with these speeds relative to one thread.
    fn verdicts(speeds: &[f64]) -> Vec<Verdict> {
        let mut trial = Trial::new(Order::Queues);
        speeds
            .iter()
            .map(|&speed| trial.judge(1_000, speed * 6e5, 6e5))
            .collect()
    }

    fn stays(speeds: &[f64]) -> bool {
        !verdicts(speeds).contains(&Verdict::Leave)
    }

    #[test]
    fn trial_continues_after_rare_interruptions() {
        assert!(stays(&[1.6, 1.6, 1.6, 0.1, 1.6, 1.6, 1.6, 0.1, 1.6]));
        assert!(stays(&[0.1, 1.6, 1.6, 1.6, 1.6, 1.6]));
        assert!(stays(&[1.6, 1.6, 0.1, 1.6, 1.6, 1.6]));
    }

    #[test]
    fn weight_of_a_long_interruption_is_limited() {
        for millis in [1, 10, 100] {
            let mut trial = Trial::new(Order::Lanes);
            let verdicts: Vec<Verdict> = (0..20)
                .map(|nth| match nth {
                    1 | 9 => trial.judge(1_000, 1e6, 1e6 * f64::from(millis)),
                    _ => trial.judge(1_000, 1e6, 6e5),
                })
                .collect();
            assert!(!verdicts.contains(&Verdict::Leave), "{verdicts:?}");
        }
    }

    #[test]
    fn frequent_slow_stretches_end_a_trial() {
        assert!(!stays(&[1.7, 0.2].repeat(20)));
    }

    #[test]
    fn some_slow_stretches_do_not_end_a_trial() {
        assert!(stays(&[1.6, 1.6, 0.8, 0.7, 1.6, 0.8, 0.7, 1.6].repeat(3)));
    }

    #[test]
    fn trial_without_gain_ends() {
        assert_eq!(verdicts(&[0.7, 0.7])[1], Verdict::Leave);
        let verdicts = verdicts(&[1.01, 1.01, 1.01]);
        assert_eq!(verdicts[1..], [Verdict::GoOn, Verdict::Leave]);
    }

    #[test]
    fn trial_ends_when_it_no_longer_pays() {
        let at = |speed: f64| {
            let verdicts = verdicts(&[[1.6; 20], [speed; 20]].concat());
            verdicts.iter().position(|&it| it == Verdict::Leave)
        };
        assert_eq!(at(0.7), Some(20 + 3));
        assert!(matches!(at(0.8), Some(24..40)), "{:?}", at(0.8));
    }

    #[test]
    fn looks_come_early_and_then_at_growing_intervals() {
        let verdicts = verdicts(&[1.6; 4_000]);
        let looks = (1..).zip(verdicts).filter(|(_, it)| *it == Verdict::Look);
        let looks: Vec<u32> = looks.map(|(nth, _)| nth).collect();
        // 65,536 events after the first 4,000. Later looks depend on the number of stretches.
        assert_eq!(looks, [4, 70, 140, 280, 560, 1_120, 2_144, 3_168]);
    }

    #[test]
    fn looks_are_rarer_for_long_events() {
        let mut trial = Trial::new(Order::Queues);
        let mut judge = || trial.judge(100, 1e6, 6e5);
        let looks: Vec<u32> = (1..=1_400).filter(|_| judge() == Verdict::Look).collect();
        // 65,536 events after the first 400, and after twice as many.
        assert_eq!(looks, [4, 660, 1_320]);
    }

    #[test]
    fn endless_trial_looks_after_enough_events() {
        for (n_events, first) in [(0, 64), (3, 64), (8, 32), (1_000, 4)] {
            let mut trial = Trial::endless(Order::Queues);
            let mut judge = || trial.judge(n_events, n_events as f64, 1e6);
            let look = (1..=100).find(|_| judge() == Verdict::Look);
            assert_eq!(look, Some(first), "{n_events}");
        }
    }

    #[test]
    fn short_calls_are_added_up() {
        let mut trial = Trial::new(Order::Queues);
        let mut note = || trial.note(100, STRETCH / 6, 1_000.0, false);
        // The first two calls are the warm-up. Then each six calls make a stretch, as fast as one thread.
        let verdicts: Vec<Verdict> = (0..2 + 3 * 5).map(|_| note()).collect();
        let (last, before) = verdicts.split_last().unwrap();
        assert_eq!(*last, Verdict::Leave);
        assert!(before.iter().all(|&it| it == Verdict::GoOn));
    }
}
