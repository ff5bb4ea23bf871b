//! Times as numbers of nanoseconds. Arithmetic with them is faster than with [`Duration`].

use core::time::Duration;

/// A time or a duration in nanoseconds. All operations saturate: at 0, and at 2⁶⁴ − 1 ns, which is 584 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nanos(u64);

impl Nanos {
    pub(crate) const ZERO: Self = Self(0);
    pub(crate) const MAX: Self = Self(u64::MAX);

    /// Converts a duration. One of more than 584 years becomes the greatest value.
    #[inline]
    pub(crate) const fn of(duration: Duration) -> Self {
        let nanos = match duration.as_secs().checked_mul(1_000_000_000) {
            Some(nanos) => nanos.saturating_add(duration.subsec_nanos() as u64),
            None => u64::MAX,
        };
        Self(nanos)
    }

    #[inline]
    pub(crate) const fn duration(self) -> Duration {
        Duration::from_nanos(self.0)
    }

    #[inline]
    pub(crate) const fn get(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) const fn half(self) -> Self {
        Self(self.0 / 2)
    }

    #[inline]
    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// The difference, or 0 if the other value is greater.
    #[inline]
    pub(crate) const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    #[inline]
    pub(crate) const fn times(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }

    /// The number of whole periods.
    ///
    /// Usually none has passed. Then it does not divide, because a division is slow.
    #[inline]
    pub(crate) const fn whole(self, period: Self) -> u64 {
        if self.0 < period.0 {
            0
        } else {
            self.0 / period.0
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn nanos_are_those_of_durations_and_saturate() {
        let ns = Duration::from_nanos;
        let year = Duration::from_secs(366 * 24 * 60 * 60);
        for duration in [ns(0), ns(1), ns(1_000_000_007), year, 500 * year] {
            assert_eq!(Nanos::of(duration).duration(), duration);
        }
        let most = ns(u64::MAX);
        assert_eq!(Nanos::of(most).duration(), most);
        for duration in [most + ns(1), 900 * year, Duration::MAX] {
            assert_eq!(Nanos::of(duration).duration(), most, "{duration:?}");
        }
        let (one, most) = (Nanos(1), Nanos(u64::MAX));
        assert_eq!((most.plus(one), one.minus(most)), (most, Nanos::ZERO));
        assert_eq!((most.times(2), one.times(3)), (most, Nanos(3)));
        assert_eq!(
            (Nanos(9).whole(Nanos(10)), Nanos(30).whole(Nanos(10))),
            (0, 3)
        );
    }
}
