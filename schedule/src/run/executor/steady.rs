//! Learns the time between runs that begin at a steady rate, so that helpers can be woken before the next run.

use core::time::Duration;

use crate::base::time::Instant;

/// The least and the greatest time between two runs that is learned. In a shorter one, helpers would wait for most of the time.
const LEAST: Duration = Duration::from_millis(2);
const MOST: Duration = Duration::from_secs(1);

/// A run is on time if it begins at most this part of the period too early or too late.
const TOLERANCE: f32 = 1.0 / 16.0;

/// The weight of the last interval in the mean.
const WEIGHT: f32 = 0.125;

/// The number of consecutive runs that may be off before another period is learned. A missed frame is one.
const MOST_OFF: u8 = 3;

/// The number of runs in a row without a pause after which the rate is no longer steady.
const MOST_HOT: u8 = 32;

/// The number of runs on time after which the rate counts as steady. Each time that helpers were woken for nothing, it is multiplied by
/// the factor.
const FIRST_PATIENCE: u32 = 16;
const PATIENCE_FACTOR: u32 = 4;
const MOST_PATIENCE: u32 = FIRST_PATIENCE * PATIENCE_FACTOR.pow(6);

/// The rate of the runs that follow a pause.
#[derive(Clone, Debug)]
pub(super) struct SteadyRate {
    /// The begin of the last run.
    begin: Option<Instant>,
    /// Nanoseconds: the mean time between two begins.
    mean_ns: f32,
    /// The number of runs on time.
    n_on_time: u32,
    /// The number of runs on time after which the rate is steady.
    patience: u32,
    /// The number of runs since the last one on time.
    n_off: u8,
    /// The number of runs without a pause since the last one after a pause.
    n_hot: u8,
    /// Whether the rate does not matter.
    is_ignored: bool,
}

impl SteadyRate {
    pub(super) const UNKNOWN: Self = Self {
        begin: None,
        mean_ns: 0.0,
        n_on_time: 0,
        patience: FIRST_PATIENCE,
        n_off: 0,
        n_hot: 0,
        is_ignored: false,
    };

    /// A run begins after a pause.
    #[inline]
    pub(super) fn note_begin(&mut self, now: Instant) {
        self.n_hot = 0;
        let Some(before) = self.begin.replace(now) else {
            return;
        };
        let interval = now.saturating_duration_since(before);
        let ns = interval.as_nanos() as f32;
        let is_on_time = (ns - self.mean_ns).abs() <= TOLERANCE * self.mean_ns;
        if is_on_time && self.n_on_time > 0 {
            self.mean_ns += WEIGHT * (ns - self.mean_ns);
            self.n_off = 0;
            // A rate can change little by little.
            let mean = Duration::from_nanos(self.mean_ns as u64);
            self.n_on_time = if (LEAST..=MOST).contains(&mean) {
                self.n_on_time.saturating_add(1)
            } else {
                0
            };
            return;
        }
        self.n_off += 1;
        if self.n_on_time <= 1 || self.n_off > MOST_OFF {
            (self.mean_ns, self.n_off) = (ns, 0);
            self.n_on_time = u32::from((LEAST..=MOST).contains(&interval));
        }
    }

    /// A run begins without a pause.
    #[inline]
    pub(super) fn note_hot(&mut self) {
        self.n_hot += 1;
        if self.n_hot > MOST_HOT {
            (self.n_on_time, self.n_hot) = (0, 0);
        }
    }

    /// The period, if the rate is steady.
    #[inline]
    pub(super) fn period(&self) -> Option<Duration> {
        let is_used = self.n_on_time >= self.patience && !self.is_ignored;
        is_used.then(|| Duration::from_nanos(self.mean_ns as u64))
    }

    /// Ignores the rate, or uses it again. An ignored rate has no period.
    pub(super) fn ignore(&mut self, is_ignored: bool) {
        self.is_ignored = is_ignored;
    }

    /// The begin of the last run.
    pub(super) fn begin(&self) -> Option<Instant> {
        self.begin
    }

    /// Helpers were woken several times for nothing. Learns the rate anew, from more runs.
    pub(super) fn give_up(&mut self) {
        self.patience = (self.patience * PATIENCE_FACTOR).min(MOST_PATIENCE);
        (self.n_on_time, self.n_off) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(16);

    /// Notes runs with these times between them. Returns the number of runs after which the rate was steady.
    fn note(rate: &mut SteadyRate, now: &mut Instant, intervals: &[Duration]) -> Option<usize> {
        let mut steady = None;
        for (nth, interval) in intervals.iter().enumerate() {
            *now += *interval;
            rate.note_begin(*now);
            if steady.is_none() && rate.period().is_some() {
                steady = Some(nth + 1);
            }
        }
        steady
    }

    fn assert_near(period: Option<Duration>, expected: Duration) {
        let off = period.unwrap().abs_diff(expected);
        assert!(off < Duration::from_micros(1), "{off:?}");
    }

    fn new() -> (SteadyRate, Instant) {
        let now = Instant::now();
        let mut rate = SteadyRate::UNKNOWN;
        rate.note_begin(now);
        (rate, now)
    }

    #[test]
    fn a_steady_rate_is_learned_with_its_mean() {
        let (mut rate, mut now) = new();
        let late = |nth: u64| PERIOD + Duration::from_micros(100 * (nth % 5));
        let intervals: Vec<_> = (0..200).map(late).collect();
        assert_eq!(note(&mut rate, &mut now, &intervals), Some(16));
        let off = rate
            .period()
            .unwrap()
            .abs_diff(PERIOD + Duration::from_micros(200));
        assert!(off < Duration::from_micros(100), "{off:?}");
    }

    #[test]
    fn missed_frames_do_not_end_a_rate_but_another_period_does() {
        let (mut rate, mut now) = new();
        note(&mut rate, &mut now, &[PERIOD; 20]);
        note(
            &mut rate,
            &mut now,
            &[2 * PERIOD, PERIOD, 2 * PERIOD, 3 * PERIOD, PERIOD],
        );
        assert_near(rate.period(), PERIOD);
        note(&mut rate, &mut now, &[PERIOD / 2; 4]);
        assert_eq!(rate.period(), None);
        assert_eq!(note(&mut rate, &mut now, &[PERIOD / 2; 40]), Some(15));
        assert_near(rate.period(), PERIOD / 2);
    }

    #[test]
    fn a_rate_that_becomes_too_fast_little_by_little_has_no_period() {
        let (mut rate, mut now) = new();
        note(&mut rate, &mut now, &[PERIOD; 20]);
        let mut interval = PERIOD;
        while interval > LEAST {
            interval = interval * 999 / 1_000;
            assert!(rate.period().is_some(), "{interval:?}");
            note(&mut rate, &mut now, &[interval]);
        }
        note(&mut rate, &mut now, &[interval; 100]);
        assert_eq!(rate.period(), None);
    }

    #[test]
    fn irregular_fast_and_slow_runs_have_no_period() {
        for intervals in [
            [PERIOD, 2 * PERIOD, 4 * PERIOD].repeat(100),
            [PERIOD, PERIOD + PERIOD / 5].repeat(100),
            vec![LEAST - Duration::from_nanos(1); 300],
            vec![MOST + Duration::from_nanos(1); 300],
        ] {
            let (mut rate, mut now) = new();
            assert_eq!(
                note(&mut rate, &mut now, &intervals),
                None,
                "{:?}",
                intervals[0]
            );
        }
    }

    #[test]
    fn short_bursts_have_a_period_but_long_ones_end_it() {
        let (mut rate, mut now) = new();
        for _ in 0..20 {
            (0..MOST_HOT).for_each(|_| rate.note_hot());
            note(&mut rate, &mut now, &[PERIOD]);
        }
        assert_near(rate.period(), PERIOD);
        (0..=MOST_HOT).for_each(|_| rate.note_hot());
        assert_eq!(rate.period(), None);
    }

    #[test]
    fn after_useless_wake_ups_it_takes_longer_each_time() {
        let (mut rate, mut now) = new();
        let mut needed = Vec::new();
        for _ in 0..3 {
            needed.push(note(&mut rate, &mut now, &[PERIOD; 300]).unwrap());
            rate.give_up();
        }
        assert_eq!(needed, [16, 64, 256]);
        (0..100).for_each(|_| rate.give_up());
        assert_eq!(rate.patience, MOST_PATIENCE);
    }
}
