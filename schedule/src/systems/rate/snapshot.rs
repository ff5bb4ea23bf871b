//! Clocks and rates in snapshots.

use core::time::Duration;

use super::saved::SavedRate;
use super::{Clock, Rate};
use crate::base::snapshot::{ComposedName, Decoder, Encoder, Schema, Snapshot, SnapshotError};

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

    fn schema() -> Schema {
        Schema::of::<Duration>()
    }
}

/// The settings are saved, too. [`Rate::run_times`] are not: the timer of a driver measures them, so they differ between equal runs. The
/// marker `M` needs a name: it derives `Snapshot`.
impl<M: Snapshot> Snapshot for Rate<M> {
    const NAME: &'static str = const { ComposedName::new("rate", M::NAME) }.as_str();
    const VERSION: u32 = 5;

    fn save(&self, to: &mut Encoder) -> Result<(), SnapshotError> {
        to.write(&SavedRate::of(self).without_measured_times())
    }

    fn restore(from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        let saved: SavedRate = from.read()?;
        saved.into_rate().map_err(|fault| from.error(fault))
    }

    fn migrate(version: u32, from: &mut Decoder<'_>) -> Result<Self, SnapshotError> {
        if version != 4 {
            return Err(from.unsupported::<Self>(version));
        }
        let saved = SavedRate::of_version_4(from)?;
        saved.into_rate().map_err(|fault| from.error(fault))
    }

    fn schema() -> Schema {
        Schema::of::<SavedRate>()
    }
}
