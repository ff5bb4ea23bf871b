//! Histograms in snapshots and for serde: the buckets that have durations.

use core::time::Duration;

use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Serialize};

use super::{Histogram, N_BUCKETS};

/// The field `buckets` of a saved histogram. It is written without a list of its own, so that a recording allocates nothing.
struct FilledBuckets<'a>(&'a [u64; N_BUCKETS]);

impl Serialize for FilledBuckets<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let filled = || (0_u16..).zip(self.0).filter(|(_, count)| **count > 0);
        let mut buckets = serializer.serialize_seq(Some(filled().count()))?;
        filled().try_for_each(|bucket| buckets.serialize_element(&bucket))?;
        buckets.end()
    }
}

/// A saved histogram.
#[derive(Deserialize)]
#[serde(rename = "Histogram")]
struct SavedHistogram {
    /// The numbers of the buckets that have durations, ascending, each with the number of durations.
    buckets: Vec<(u16, u64)>,
    max: Duration,
}

impl Serialize for Histogram {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut saved = serializer.serialize_struct("Histogram", 2)?;
        saved.serialize_field("buckets", &FilledBuckets(&self.counts))?;
        saved.serialize_field("max", &self.max)?;
        saved.end()
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let SavedHistogram { buckets, max } = Deserialize::deserialize(deserializer)?;
        let mut histogram = Self {
            max,
            ..Self::default()
        };
        let mut n_before = 0;
        for (bucket, count) in buckets {
            let bucket = usize::from(bucket);
            // So the saved form of a value is the same again.
            if bucket < n_before || bucket >= N_BUCKETS || count == 0 {
                let fault =
                    "the buckets of a histogram must be ascending, less than 528, and not empty";
                return Err(serde::de::Error::custom(fault));
            }
            histogram.counts[bucket] = count;
            n_before = bucket + 1;
        }
        Ok(histogram)
    }
}

/// A histogram of 32 buckets, whose ends are powers of two from 64 ns on. Earlier versions of snapshots contain it.
#[cfg(feature = "snapshot")]
#[derive(Serialize, Deserialize)]
#[serde(rename = "Histogram")]
pub(crate) struct HistogramOfPowers {
    counts: [u64; 32],
    max: Duration,
}

#[cfg(feature = "snapshot")]
impl HistogramOfPowers {
    /// Counts the durations in the buckets with the same ends, so that quantiles stay the same.
    pub(crate) fn into_histogram(self) -> Histogram {
        let mut histogram = Histogram {
            max: self.max,
            ..Histogram::default()
        };
        for (nth, count) in (0..).zip(self.counts) {
            // The last two of them are in the last bucket.
            let of = &mut histogram.counts[super::bucket_of((1_u64 << (6 + nth)) - 1)];
            *of = of.saturating_add(count);
        }
        histogram
    }
}
