//! A section of a snapshot has a name and a version.

use schedule::snapshot::{SnapshotError, SnapshotWriter};

struct Account(u64);

fn save(writer: &mut SnapshotWriter) -> Result<(), SnapshotError> {
    writer.section(&Account(5))?;
    Ok(())
}

fn main() {}

//~ remedy
//~ + #[derive(schedule::snapshot::Snapshot, serde::Serialize, serde::Deserialize)]
//~ + #[snapshot(name = "account")]
//~   struct Account(u64);
