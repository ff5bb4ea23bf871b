//! Clocks and rates in snapshots.

use core::marker::PhantomData;
use core::time::Duration;

use serde::{Deserialize, Serialize};

use super::counts::Ending;
use super::{Clock, Overrun, Rate, RateCounts};
use crate::snapshot::{ComposedName, Decoder, Encoder, Snapshot, SnapshotError};

/// The time is saved. The next [`Clock::tick`] continues from it, so the time between saving and restoring does not count.
impl Snapshot for Clock {
    const NAME: &'static str = "clock";
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&self.now())
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let mut clock = Self::new();
        clock.advance(from.read()?);
        Ok(clock)
    }
}

/// The settings are saved, too. The marker `M` needs a name: it derives `Snapshot`.
impl<M: Snapshot> Snapshot for Rate<M> {
    const NAME: &'static str = const { ComposedName::new("rate", M::NAME) }.as_str();
    const VERSION: u32 = 1;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&SavedRate {
            period: self.period,
            tolerance: self.tolerance,
            overrun: self.overrun,
            counts_paused: self.counts_paused,
            next: self.next,
            is_start: self.is_start,
            seen: self.seen,
            n_in_turn: self.n_in_turn,
            is_reset: self.is_reset,
            is_asked: self.is_asked,
            last: self.last,
            lateness: self.lateness,
            max_lateness: self.max_lateness,
            counts: self.counts.into(),
        })
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let saved: SavedRate = from.read()?;
        let fault = saved.fault();
        fault.map_or(Ok(()), |fault| Err(from.error(fault)))?;
        Ok(Self {
            period: saved.period,
            tolerance: saved.tolerance,
            overrun: saved.overrun,
            counts_paused: saved.counts_paused,
            next: saved.next,
            is_start: saved.is_start,
            seen: saved.seen,
            n_in_turn: saved.n_in_turn,
            is_reset: saved.is_reset,
            is_asked: saved.is_asked,
            last: saved.last,
            lateness: saved.lateness,
            max_lateness: saved.max_lateness,
            counts: saved.counts.into(),
            of: PhantomData,
        })
    }
}

/// The fields of a [`Rate`].
#[derive(Serialize, Deserialize)]
struct SavedRate {
    period: Duration,
    tolerance: Option<Duration>,
    overrun: Overrun,
    counts_paused: bool,
    next: Duration,
    is_start: bool,
    seen: Duration,
    n_in_turn: u32,
    is_reset: bool,
    is_asked: bool,
    last: Option<Ending>,
    lateness: Duration,
    max_lateness: Duration,
    counts: SavedCounts,
}

impl SavedRate {
    /// Returns the invariant of rates that this value violates, if any.
    fn fault(&self) -> Option<&'static str> {
        if self.period.is_zero() {
            return Some("the period of a rate must be longer than 0");
        }
        if self
            .tolerance
            .is_some_and(|tolerance| tolerance > self.period / 2)
        {
            return Some("the tolerance of a rate must not be more than half of its period");
        }
        if self.overrun == Overrun::CatchUp(0) {
            return Some("the limit of `catch_up` must be at least 1");
        }
        // The end of the run moves the last due time from this count to another one.
        let mut counts = RateCounts::from(self.counts);
        let is_counted = self.last.is_none_or(|last| *counts.of(last) > 0);
        (!is_counted).then_some("the last due time must be counted")
    }
}

/// The fields of [`RateCounts`].
#[derive(Clone, Copy, Serialize, Deserialize)]
struct SavedCounts {
    on_time: u64,
    late: u64,
    skipped: u64,
    disabled: u64,
    failed: u64,
}

impl From<RateCounts> for SavedCounts {
    fn from(counts: RateCounts) -> Self {
        let RateCounts {
            on_time,
            late,
            skipped,
            disabled,
            failed,
        } = counts;
        Self {
            on_time,
            late,
            skipped,
            disabled,
            failed,
        }
    }
}

impl From<SavedCounts> for RateCounts {
    fn from(counts: SavedCounts) -> Self {
        let SavedCounts {
            on_time,
            late,
            skipped,
            disabled,
            failed,
        } = counts;
        Self {
            on_time,
            late,
            skipped,
            disabled,
            failed,
        }
    }
}
