//! Several threads on trial: whether they process more events in the same time than one.

use core::time::Duration;

use super::order::Order;

/// The time in which helpers come to a trial, which is not measured.
const WARM_UP: Duration = Duration::from_micros(150);
/// A measured stretch on several threads.
const PARALLEL: Duration = Duration::from_micros(500);
/// So many times as fast as one thread several have to be, to be kept.
const WORTH: f64 = 1.04;
/// The same for short events, of which all stretches count as they were.
const WORTH_SHORT: f64 = 1.1;
/// Who is not even so fast is hopeless: twice at first, or some times in a row.
const HOPELESS: f64 = 0.75;
const N_HOPELESS: u32 = 4;
/// Stretches that count for most: what was before them fades.
const MEMORY: f64 = 16.0;
/// A stretch of less than so much of the mean speed is odd. It does not count, if some before it were not odd.
const ODD: f64 = 0.5;
const N_EVEN: u32 = 3;
/// A stretch that takes longer counts for no more than this: most probably a thread was interrupted in it.
const MOST: Duration = Duration::from_millis(1);
/// Stretches are steady if none is more than so many times as fast as another.
const STEADY: f64 = 1.25;
/// After so many stretches it is looked what events take on one thread, and after twice as many each time, but no more than so
/// many more.
const LOOKS: [u32; 2] = [4, 1024];
/// But not, after the first time, before so many events: for a look, all that are in flight are waited for, one after the other
/// if they touch the same, and they may be a thirty-second part of that.
const BETWEEN_LOOKS: usize = 1 << 16;
/// After so many stretches it is known whether an order pays: the first look, as no stretch goes on beyond it.
pub(super) const N_PROVEN: u32 = LOOKS[0];

/// What several threads have shown since they were tried.
#[derive(Clone, Debug)]
pub(super) struct Trial {
    pub(super) order: Order,
    /// Events are short: nothing is passed over.
    is_short: bool,
    is_warm: bool,
    /// Of the stretch that is going on.
    pub(super) n: usize,
    pub(super) time: Duration,
    /// Those before it, as far as they count.
    all: TrialStretch,
    /// The first ones, of which the one in the middle counts.
    first: [TrialStretch; 3],
    pub(super) n_measured: u32,
    /// The next look is after so many stretches.
    next_look: u32,
    /// Events since the last look.
    n_since_look: usize,
    /// The last ones, in a row, that were hopeless, and that were not odd.
    n_hopeless: u32,
    n_even: u32,
}

/// What several threads did in a stretch, or in some.
#[derive(Clone, Copy, Debug, Default)]
struct TrialStretch {
    n_events: f64,
    /// What these would have taken on one thread, and took. Nanoseconds.
    inline_ns: f64,
    ns: f64,
}

impl TrialStretch {
    /// So many times as fast as one thread.
    fn speed(&self) -> f64 {
        self.inline_ns / self.ns
    }

    /// Events in a nanosecond.
    fn rate(&self) -> f64 {
        self.n_events / self.ns
    }

    /// One more; those before it fade.
    fn add(&mut self, other: TrialStretch) {
        let fade = |sum: &mut f64, one: f64| *sum += one - *sum / MEMORY;
        fade(&mut self.n_events, other.n_events);
        fade(&mut self.inline_ns, other.inline_ns);
        fade(&mut self.ns, other.ns);
    }
}

/// What is made of a stretch on several threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    GoOn,
    /// It is time to see what an event takes on one.
    Look,
    Leave,
}

impl Trial {
    pub(super) fn new(order: Order) -> Self {
        Self {
            order,
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

    /// The same, after something else: helpers have to come again.
    pub(super) fn taken_up(self) -> Self {
        Self {
            is_warm: false,
            ..self
        }
    }

    /// How long the stretch has to be.
    pub(super) fn wanted(&self) -> Duration {
        if self.is_warm { PARALLEL } else { WARM_UP }
    }

    /// So many events more took so long, which would have taken so many nanoseconds each on one thread.
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
        match core::mem::replace(&mut self.is_warm, true) {
            true => self.judge(n, n as f64 * inline_ns, ns),
            false => Verdict::GoOn,
        }
    }

    /// A stretch of so many events took so many nanoseconds, where one thread would have needed that many.
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
        self.n_hopeless = match speed < HOPELESS {
            true => self.n_hopeless + 1,
            false => 0,
        };
        let is_odd = !self.is_short && self.n_measured > 2 && speed < ODD * self.speed();
        let is_passed_over = is_odd && self.n_even >= N_EVEN.min(self.n_measured - 1);
        self.n_even = if is_odd { 0 } else { self.n_even + 1 };
        if !is_passed_over {
            self.all.add(stretch);
        }
        let is_bad = match self.n_measured {
            1 => false,
            2 if self.is_short => self.speed() < HOPELESS,
            _ if self.is_short => self.speed() < WORTH_SHORT,
            2 => self.n_hopeless == 2,
            3 => self.speed() < WORTH,
            _ => self.speed() < WORTH || self.n_hopeless >= N_HOPELESS,
        };
        let [first, most] = LOOKS;
        let may_look = self.n_measured == first || self.n_since_look >= BETWEEN_LOOKS;
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

    /// So many times as fast as one thread.
    fn speed(&self) -> f64 {
        self.of(TrialStretch::speed)
    }

    /// Events in a nanosecond. To be compared with that of another trial: what they would take on one thread may have been
    /// measured anew in between.
    pub(super) fn rate(&self) -> f64 {
        self.of(TrialStretch::rate)
    }

    /// Whether the first stretches were about as fast as each other: three, if there were so many.
    pub(super) fn is_steady(&self) -> bool {
        let rates = self.first.each_ref().map(TrialStretch::rate);
        let [least, most] = [f64::min, f64::max].map(|of| rates.into_iter().fold(rates[0], of));
        most <= STEADY * least
    }

    /// Of three stretches, that of the one in the middle: not before.
    fn of(&self, figure: impl Fn(&TrialStretch) -> f64) -> f64 {
        match self.n_measured {
            0..=3 if !self.is_short => median(self.first.each_ref().map(figure)),
            _ => figure(&self.all),
        }
    }
}

/// How much counts of what took so many nanoseconds.
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

    /// What is made of stretches that are so many times as fast as one thread.
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
    fn who_is_interrupted_now_and_then_goes_on() {
        assert!(stays(&[1.6, 1.6, 1.6, 0.1, 1.6, 1.6, 1.6, 0.1, 1.6]));
        assert!(stays(&[0.1, 1.6, 1.6, 1.6, 1.6, 1.6]));
        assert!(stays(&[1.6, 1.6, 0.1, 1.6, 1.6, 1.6]));
    }

    #[test]
    fn a_long_interruption_counts_for_little_more_than_a_short_one() {
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
    fn who_is_slow_every_other_time_is_not_taken_for_interrupted() {
        assert!(!stays(&[1.7, 0.2].repeat(20)));
    }

    #[test]
    fn stretches_in_which_events_wait_for_each_other_count_with_the_others() {
        assert!(stays(&[1.6, 1.6, 0.8, 0.7, 1.6, 0.8, 0.7, 1.6].repeat(3)));
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
        assert!(matches!(at(0.8), Some(24..40)), "{:?}", at(0.8));
    }

    #[test]
    fn it_is_looked_what_one_thread_takes_soon_and_now_and_then() {
        let verdicts = verdicts(&[1.6; 4_000]);
        let looks = (1..).zip(verdicts).filter(|(_, it)| *it == Verdict::Look);
        let looks: Vec<u32> = looks.map(|(nth, _)| nth).collect();
        // After 65,536 events more than the first 4,000; later, when it is time.
        assert_eq!(looks, [4, 70, 140, 280, 560, 1_120, 2_144, 3_168]);
    }

    #[test]
    fn of_long_events_it_is_looked_more_seldom() {
        let mut trial = Trial::new(Order::Queues);
        let mut judge = || trial.judge(100, 1e6, 6e5);
        let looks: Vec<u32> = (1..=1_400).filter(|_| judge() == Verdict::Look).collect();
        // After 65,536 events more than the first 400, and after twice as many.
        assert_eq!(looks, [4, 660, 1_320]);
    }

    #[test]
    fn short_calls_add_up() {
        let mut trial = Trial::new(Order::Queues);
        let mut note = || trial.note(100, STRETCH / 6, 1_000.0, false);
        // The first two are the time in which helpers come; then each six make a stretch, as fast as one thread.
        let verdicts: Vec<Verdict> = (0..2 + 3 * 5).map(|_| note()).collect();
        let (last, before) = verdicts.split_last().unwrap();
        assert_eq!(*last, Verdict::Leave);
        assert!(before.iter().all(|&it| it == Verdict::GoOn));
    }
}
