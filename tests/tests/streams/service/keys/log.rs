//! A log of the steps of snapshots: when the state is saved, and when it is written.

use std::sync::{Arc, Mutex};

use schedule::prelude::*;
use schedule::snapshot::Snapshot;
use schedule_stream::journal::{JournalError, Snapshots};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SnapshotStep {
    Saved,
    Written,
}

/// The steps in order. As a resource, it logs each time that it is saved.
#[derive(Clone, Debug, Default, Resource, Snapshot)]
#[snapshot(name = "log")]
pub(super) struct SnapshotLog(Arc<Mutex<Vec<SnapshotStep>>>);

impl SnapshotLog {
    fn add(&self, step: SnapshotStep) {
        self.0.lock().unwrap().push(step);
    }

    /// Removes all steps.
    pub(super) fn take(&self) -> Vec<SnapshotStep> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

impl Serialize for SnapshotLog {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.add(SnapshotStep::Saved);
        serializer.serialize_unit()
    }
}

impl<'de> Deserialize<'de> for SnapshotLog {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <()>::deserialize(deserializer).map(|()| Self::default())
    }
}

/// Storage that logs each snapshot after it is written.
pub(super) struct LoggedSnapshots<S> {
    pub(super) snapshots: S,
    pub(super) log: SnapshotLog,
}

impl<S: Snapshots> Snapshots for LoggedSnapshots<S> {
    fn list(&self) -> Result<Vec<u64>, JournalError> {
        self.snapshots.list()
    }

    fn write(&mut self, batch: u64, bytes: &[u8]) -> Result<(), JournalError> {
        let written = self.snapshots.write(batch, bytes);
        self.log.add(SnapshotStep::Written);
        written
    }

    fn read(&self, batch: u64) -> Result<Vec<u8>, JournalError> {
        self.snapshots.read(batch)
    }

    fn remove_before(&mut self, batch: u64) -> Result<(), JournalError> {
        self.snapshots.remove_before(batch)
    }
}
