//! Stores in snapshots: a restored store behaves as the saved one.

mod continued;
mod damage;

use schedule::snapshot::{Snapshot, SnapshotError, SnapshotReader, SnapshotWriter};
use schedule_stream::prelude::*;
use serde::{Deserialize, Serialize};

/// With hashed keys: places are reused.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[record(key = String)]
#[snapshot(name = "guest")]
struct Guest(u64);

/// With ids: a place belongs to its id.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[record(id = u16, max_id = 999)]
#[snapshot(name = "seat")]
struct Seat(u64);

/// Every key has one, by default.
#[derive(Record, Snapshot, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[record(key = u32)]
#[snapshot(name = "bill")]
struct Bill(u64);

/// A snapshot of one store.
fn saved<T: Snapshot>(store: &T) -> Vec<u8> {
    let mut writer = SnapshotWriter::new();
    writer.section(store).unwrap();
    writer.finish()
}

/// Restores a store from a snapshot.
fn restored<T: Snapshot>(bytes: &[u8]) -> Result<T, SnapshotError> {
    SnapshotReader::new(bytes)?.restore()
}
