//! A simulated disk that is full until space is freed.

use std::io;

use super::{DiskState, Effect, SimulatedDisk};

/// The writes that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// Those of snapshots. The journal has space that was reserved for it.
    ForSnapshots,
    /// All.
    ForAll,
}

impl SimulatedDisk {
    /// Lets all writes of this kind fail, or none.
    pub(crate) fn fill(&self, full: Option<Full>) {
        self.state().full = full;
    }
}

impl DiskState {
    /// The effect of a write, if the disk is full for it. A part of the bytes may be written.
    pub(super) fn write_effect(&self, effect: Effect, is_snapshot: bool) -> Effect {
        match (self.full, effect) {
            (Some(Full::ForAll), Effect::Whole | Effect::Short) => Effect::full(),
            (Some(Full::ForSnapshots), Effect::Whole | Effect::Short) if is_snapshot => {
                Effect::full()
            }
            (_, effect) => effect,
        }
    }
}

impl Effect {
    fn full() -> Self {
        Self::Part(io::ErrorKind::StorageFull.into())
    }
}
