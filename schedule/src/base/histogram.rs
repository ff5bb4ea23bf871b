//! Counts of durations in buckets of fixed size.

use core::fmt;
use core::time::Duration;

use crate::base::nanos::Nanos;

/// The number of buckets.
const N_BUCKETS: usize = 32;

/// The end of the first bucket is 2 to this power, in nanoseconds.
const FIRST_BITS: u32 = 6;

/// Counts of durations in 32 buckets. Adding a duration allocates nothing.
///
/// The first bucket ends at 64 ns. Each bucket ends at twice the end of the one before. The last one also has all longer
/// durations, from 69 s on.
///
/// ```
/// use core::time::Duration;
/// use schedule::report::Histogram;
///
/// let mut histogram = Histogram::default();
/// for us in [3, 3, 5, 900] {
///     histogram.add(Duration::from_micros(us));
/// }
/// assert_eq!(histogram.n(), 4);
/// assert_eq!(histogram.max(), Duration::from_micros(900));
/// assert_eq!(histogram.quantile(0.5), Duration::from_nanos(4096), "the end of the bucket of 3 µs");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(
    any(feature = "serde", feature = "snapshot"),
    derive(serde::Serialize, serde::Deserialize)
)]
pub struct Histogram {
    /// `counts[i]`: the number of durations in bucket i.
    counts: [u64; N_BUCKETS],
    max: Duration,
}

impl Histogram {
    /// Adds a duration.
    pub fn add(&mut self, duration: Duration) {
        self.count(Nanos::of(duration));
        if duration > self.max {
            self.max = duration;
        }
    }

    #[inline]
    pub(crate) fn add_nanos(&mut self, nanos: Nanos) {
        self.count(nanos);
        if nanos > Nanos::of(self.max) {
            self.max = nanos.duration();
        }
    }

    #[inline]
    fn count(&mut self, nanos: Nanos) {
        let ns = nanos.get();
        let bits = u64::BITS - ns.leading_zeros();
        let bucket = bits.saturating_sub(FIRST_BITS) as usize;
        let count = &mut self.counts[bucket.min(N_BUCKETS - 1)];
        *count = count.saturating_add(1);
    }

    /// The number of durations.
    pub fn n(&self) -> u64 {
        self.counts.iter().fold(0, |n, &of| n.saturating_add(of))
    }

    /// The longest duration, not rounded. 0 if there is none.
    pub fn max(&self) -> Duration {
        self.max
    }

    /// The duration that this share of all durations does not exceed. A share of 0.5 gives the median.
    ///
    /// The result is the end of the bucket, or the longest duration if that is shorter. Without durations, it is 0.
    pub fn quantile(&self, share: f64) -> Duration {
        let rank = (self.n() as f64 * share).ceil().max(1.0) as u64;
        let mut n = 0_u64;
        for (end, count) in self.buckets() {
            n = n.saturating_add(count);
            if n >= rank {
                return end.min(self.max);
            }
        }
        self.max
    }

    /// The end of each bucket, and the number of durations in it. The last end is [`Duration::MAX`].
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        self.counts.iter().enumerate().map(|(bucket, &count)| {
            let end = match bucket {
                _ if bucket + 1 == N_BUCKETS => Duration::MAX,
                _ => Duration::from_nanos(1 << (bucket as u32 + FIRST_BITS)),
            };
            (end, count)
        })
    }
}

/// Prints the median, the 99th percentile and the maximum.
impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (p50, p99) = (self.quantile(0.5), self.quantile(0.99));
        write!(
            f,
            "p50 {p50:.1?}, p99 {p99:.1?}, maximum {max:.1?}",
            max = self.max
        )
    }
}

/// Prints the same as `Display`.
impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Histogram({self})")
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn each_duration_is_in_the_bucket_that_ends_after_it() {
        for ns in [
            0,
            1,
            63,
            64,
            65,
            127,
            128,
            1 << 35,
            (1 << 36) - 1,
            1 << 36,
            u64::MAX,
        ] {
            let mut histogram = Histogram::default();
            histogram.add(Duration::from_nanos(ns));
            let mut begin = Duration::ZERO;
            for (end, count) in histogram.buckets() {
                let is_in = (begin..end).contains(&Duration::from_nanos(ns));
                assert_eq!(count, u64::from(is_in), "{ns} ns, {begin:?} to {end:?}");
                begin = end;
            }
        }
    }

    #[test]
    fn quantile_is_at_least_the_exact_one_and_less_than_twice() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.99), Duration::ZERO);
        for us in 1..=1000 {
            histogram.add(Duration::from_micros(us));
        }
        for share in [0.01, 0.25, 0.5, 0.9, 0.99, 1.0] {
            let exact = Duration::from_secs_f64(share / 1000.0);
            let quantile = histogram.quantile(share);
            assert!(
                quantile >= exact && quantile < 2 * exact,
                "{share}: {quantile:?}"
            );
        }
        assert_eq!(histogram.quantile(1.0), Duration::from_millis(1));
        histogram.add(Duration::MAX);
        assert_eq!((histogram.n(), histogram.max()), (1001, Duration::MAX));
    }

    #[test]
    fn counts_saturate() {
        let mut histogram = Histogram {
            counts: [u64::MAX; N_BUCKETS],
            max: Duration::ZERO,
        };
        histogram.add(Duration::from_secs(1));
        assert_eq!(histogram.n(), u64::MAX);
        assert_eq!(histogram.quantile(1.0), Duration::from_nanos(64));
        histogram.counts[0] = 1;
        assert_eq!(histogram.quantile(1.0), Duration::from_nanos(128));
    }
}
