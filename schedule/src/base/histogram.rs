//! Counts of durations in buckets of fixed number, whose widths grow with the durations.
//!
//! The buckets are log-linear, as those of HdrHistogram by Gil Tene (<https://hdrhistogram.org>): each power of two is divided into 16
//! buckets of equal width. So a bucket is narrower than 1/16 of each of its durations, and finding it needs no division.

use core::fmt;
use core::time::Duration;

use crate::base::nanos::Nanos;

#[cfg(any(feature = "serde", feature = "snapshot"))]
pub(crate) mod saved;

/// Each power of two has 2 to this power buckets.
const SUB_BITS: u32 = 4;

/// The last bucket ends at 2 to this power, in nanoseconds, for shorter durations.
const END_BITS: u32 = 36;

/// The number of buckets. Those up to 2 × 16 ns are 1 ns wide.
const N_BUCKETS: usize = ((END_BITS - SUB_BITS + 1) as usize) << SUB_BITS;

/// Counts of durations in 528 buckets, in 4.2 KB. Adding a duration allocates nothing.
///
/// Buckets up to 32 ns are 1 ns wide. Above, the width doubles at each power of two, so that 16 buckets lead to the next one. The last
/// bucket also has all longer durations, from 66 s on.
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
/// assert_eq!(histogram.quantile(0.5), Duration::from_nanos(3071), "the longest one in the bucket of 3 µs");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Histogram {
    /// `counts[i]`: the number of durations in bucket i.
    counts: [u64; N_BUCKETS],
    max: Duration,
}

impl Histogram {
    /// Without durations.
    pub(crate) const NEW: Self = Self {
        counts: [0; N_BUCKETS],
        max: Duration::ZERO,
    };

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
        let count = &mut self.counts[bucket_of(nanos.get())];
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
    /// The result is the longest duration of a bucket, or the longest of all durations if that is shorter. It is at least the exact one,
    /// and at most 1/16 longer, if that is less than 66 s. Without durations, it is 0.
    pub fn quantile(&self, share: f64) -> Duration {
        let rank = (self.n() as f64 * share).ceil().max(1.0) as u64;
        let mut n = 0_u64;
        for (bucket, &count) in self.counts.iter().enumerate() {
            n = n.saturating_add(count);
            if n >= rank && bucket + 1 < N_BUCKETS {
                return Duration::from_nanos(end_of(bucket) - 1).min(self.max);
            }
        }
        self.max
    }

    /// The end of each bucket, and the number of durations in it. A duration is shorter than the end of its bucket. The last end is
    /// [`Duration::MAX`].
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> {
        self.counts.iter().enumerate().map(|(bucket, &count)| {
            let end = if bucket + 1 == N_BUCKETS {
                Duration::MAX
            } else {
                Duration::from_nanos(end_of(bucket))
            };
            (end, count)
        })
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::NEW
    }
}

/// The bucket of a duration in nanoseconds.
#[inline]
const fn bucket_of(ns: u64) -> usize {
    // The highest bit of `ns >> shift` is at `SUB_BITS`, except for durations that are shorter than 16 ns.
    let shift = (u64::BITS - 1 - SUB_BITS).saturating_sub(ns.leading_zeros());
    let bucket = ((shift as usize) << SUB_BITS) + (ns >> shift) as usize;
    if bucket < N_BUCKETS {
        bucket
    } else {
        N_BUCKETS - 1
    }
}

/// The end of a bucket, in nanoseconds.
const fn end_of(bucket: usize) -> u64 {
    let shift = (bucket >> SUB_BITS).saturating_sub(1);
    let first = bucket - (shift << SUB_BITS);
    (first as u64 + 1) << shift
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
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_duration_is_in_the_bucket_that_ends_after_it() {
        for ns in [
            0,
            1,
            15,
            16,
            31,
            32,
            33,
            34,
            63,
            64,
            1000,
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
    fn bucket_is_narrower_than_a_sixteenth_of_its_durations() {
        let mut begin = 0;
        for bucket in 0..N_BUCKETS {
            let end = end_of(bucket);
            assert_eq!((bucket_of(begin), bucket_of(end - 1)), (bucket, bucket));
            assert!(16 * (end - 1 - begin) <= begin, "{begin} to {end}");
            begin = end;
        }
        assert_eq!(begin, 1 << END_BITS);
    }

    #[test]
    fn memory_is_bounded() {
        assert_eq!(N_BUCKETS, 528);
        assert!(size_of::<Histogram>() <= 4248);
    }

    #[test]
    fn quantile_of_one_is_the_longest_duration() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.99), Duration::ZERO);
        for us in 1..=1000 {
            histogram.add(Duration::from_micros(us));
        }
        assert_eq!(histogram.quantile(1.0), Duration::from_millis(1));
        histogram.add(Duration::MAX);
        assert_eq!((histogram.n(), histogram.max()), (1001, Duration::MAX));
        assert_eq!(histogram.quantile(1.0), Duration::MAX);
    }

    #[test]
    fn counts_saturate() {
        let mut histogram = Histogram {
            counts: [u64::MAX; N_BUCKETS],
            max: Duration::ZERO,
        };
        histogram.add(Duration::from_secs(1));
        assert_eq!(histogram.n(), u64::MAX);
        assert_eq!(histogram.quantile(1.0), Duration::ZERO);
        histogram.counts[0] = 1;
        assert_eq!(histogram.quantile(1.0), Duration::from_nanos(1));
    }

    /// A duration of up to 68 s, in nanoseconds. Each number of digits is equally frequent.
    fn nanos() -> impl Strategy<Value = u64> {
        (0..=END_BITS).prop_flat_map(|bits| 0..1_u64 << bits)
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 2 } else { 512 },
            // Miri has no file system.
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn quantile_is_at_least_the_exact_one_and_at_most_a_sixteenth_longer(
            mut all in prop::collection::vec(nanos(), 1..300),
            shares in prop::collection::vec(0.0..=1.0_f64, 20),
        ) {
            let mut histogram = Histogram::default();
            for &ns in &all {
                histogram.add(Duration::from_nanos(ns));
            }
            all.sort_unstable();
            for share in shares {
                let rank = (all.len() as f64 * share).ceil().max(1.0) as usize;
                let exact = all[rank - 1];
                let quantile = histogram.quantile(share).as_nanos() as u64;
                prop_assert!(quantile >= exact, "{share}: {quantile} for {exact}");
                prop_assert!(16 * (quantile - exact) <= exact, "{share}: {quantile} for {exact}");
            }
        }
    }
}
