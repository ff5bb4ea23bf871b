//! The fields of a rate, for snapshots and for serde.

use core::marker::PhantomData;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::counts::Ending;
use super::{Backlog, Rate, RateCounts};
use crate::base::histogram::Histogram;
#[cfg(feature = "snapshot")]
use crate::base::histogram::saved::HistogramOfPowers;
use crate::base::nanos::Nanos;
#[cfg(feature = "snapshot")]
use crate::base::snapshot::{Decoder, SnapshotError};
use crate::data::limits::{RunTimes, TimeLimits};

/// The fields of a [`Rate`]. The parameters are other types in values of earlier versions.
#[derive(Serialize, Deserialize)]
pub(super) struct SavedRate<H = Histogram, T = RunTimes> {
    period: Duration,
    new_period: Option<Duration>,
    tolerance: Option<Duration>,
    backlog: Backlog,
    counts_paused: bool,
    next: Duration,
    is_start: bool,
    is_new: bool,
    seen: Duration,
    n_in_turn: u32,
    is_reset: bool,
    is_asked: bool,
    last: Option<Ending>,
    lateness: Duration,
    max_lateness: Duration,
    counts: RateCounts,
    limits: TimeLimits,
    late: H,
    times: T,
    served: Option<Duration>,
    is_paused: bool,
}

/// The [`RunTimes`] of version 4. Snapshots do not contain the times of systems, so all of its values are 0.
#[cfg(feature = "snapshot")]
#[derive(Serialize, Deserialize)]
struct TimesOfPowers {
    response: HistogramOfPowers,
    busy: HistogramOfPowers,
    n_deadline_missed: u64,
    n_over_budget: u64,
}

impl SavedRate {
    pub(super) fn of<M>(rate: &Rate<M>) -> Self {
        Self {
            period: rate.period.duration(),
            new_period: rate.new_period.map(Nanos::duration),
            tolerance: rate.tolerance.map(Nanos::duration),
            backlog: rate.backlog,
            counts_paused: rate.counts_paused,
            next: rate.next.duration(),
            is_start: rate.is_start,
            is_new: rate.is_new,
            seen: rate.seen.duration(),
            n_in_turn: rate.n_in_turn,
            is_reset: rate.is_reset,
            is_asked: rate.is_asked,
            last: rate.last,
            lateness: rate.lateness.duration(),
            max_lateness: rate.max_lateness.duration(),
            counts: rate.counts,
            limits: rate.limits,
            late: rate.late,
            times: *rate.run_times(),
            served: rate.served,
            is_paused: rate.is_paused,
        }
    }

    /// Reads a value of version 4, with histograms of powers of two.
    #[cfg(feature = "snapshot")]
    pub(super) fn of_version_4(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let saved: SavedRate<HistogramOfPowers, TimesOfPowers> = from.read()?;
        let SavedRate {
            period,
            new_period,
            tolerance,
            backlog,
            counts_paused,
            next,
            is_start,
            is_new,
            seen,
            n_in_turn,
            is_reset,
            is_asked,
            last,
            lateness,
            max_lateness,
            counts,
            limits,
            late,
            times: _,
            served,
            is_paused,
        } = saved;
        Ok(Self {
            period,
            new_period,
            tolerance,
            backlog,
            counts_paused,
            next,
            is_start,
            is_new,
            seen,
            n_in_turn,
            is_reset,
            is_asked,
            last,
            lateness,
            max_lateness,
            counts,
            limits,
            late: late.into_histogram(),
            times: RunTimes::NEW,
            served,
            is_paused,
        })
    }

    /// Without the times that the timer of a driver has measured.
    #[cfg(feature = "snapshot")]
    pub(super) fn without_measured_times(mut self) -> Self {
        self.times = RunTimes::NEW;
        self
    }

    /// Returns the rate, or the invariant of rates that the fields violate.
    pub(super) fn into_rate<M>(self) -> Result<Rate<M>, &'static str> {
        if self.period.is_zero() || self.new_period.is_some_and(|period| period.is_zero()) {
            return Err("the period of a rate must be longer than 0");
        }
        if self.backlog == Backlog::CatchUp(0) {
            return Err("the limit of `catch_up` must be at least 1");
        }
        // The end of the run moves the last due time from this count to another one.
        let mut counts = self.counts;
        if self.last.is_some_and(|last| *counts.of(last) == 0) {
            return Err("the last due time must be counted");
        }
        let mut rate = Rate {
            period: Nanos::of(self.period),
            new_period: self.new_period.map(Nanos::of),
            tolerance: self.tolerance.map(Nanos::of),
            backlog: self.backlog,
            counts_paused: self.counts_paused,
            next: Nanos::of(self.next),
            is_start: self.is_start,
            is_new: self.is_new,
            seen: Nanos::of(self.seen),
            n_in_turn: self.n_in_turn,
            is_reset: self.is_reset,
            is_asked: self.is_asked,
            last: self.last,
            lateness: Nanos::of(self.lateness),
            max_lateness: Nanos::of(self.max_lateness),
            counts: self.counts,
            limits: self.limits,
            late: self.late,
            times: self.limits.is_some().then(|| Box::new(self.times)),
            served: self.served,
            is_paused: self.is_paused,
            // The next run sets it.
            is_driven: false,
            early: Nanos::ZERO,
            of: PhantomData,
        };
        rate.set_early();
        Ok(rate)
    }
}

/// The marker need not have `Serialize`.
#[cfg(feature = "serde")]
impl<M> Serialize for Rate<M> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedRate::of(self).serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, M> Deserialize<'de> for Rate<M> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let saved = SavedRate::deserialize(deserializer)?;
        saved.into_rate().map_err(serde::de::Error::custom)
    }
}
