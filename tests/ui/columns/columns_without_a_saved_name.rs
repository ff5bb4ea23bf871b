//! Columns can be saved only if their kind has a saved name.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::snapshot::{Snapshot, SnapshotWriter};
use serde::{Deserialize, Serialize};

#[derive(Component, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "position")]
struct Position(f32);

#[derive(Columns)]
struct Bird {
    position: Position,
}

fn main() {
    let birds: Columns<Bird> = Columns::new();
    SnapshotWriter::new().section(&birds).unwrap();
}

//~ remedy
//~ + #[columns(name = "birds")]
//~   struct Bird {
