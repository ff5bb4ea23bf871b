//! An error in the attribute is the only error, also where the type is used.

use schedule::snapshot::{Snapshot, SnapshotError, SnapshotWriter};
use serde::{Deserialize, Serialize};

#[derive(Snapshot, Serialize, Deserialize)]
#[snapshot(version = 2)]
struct Account(u64);

fn save(writer: &mut SnapshotWriter) -> Result<(), SnapshotError> {
    writer.section(&Account(5))?;
    Ok(())
}

fn main() {}

//~ remedy
//~ - #[snapshot(version = 2)]
//~ + #[snapshot(name = "account", version = 2)]
