//! A kind that is saved has a name.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Component, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "position")]
struct Position(f32);

#[derive(Columns)]
#[columns(version = 2)]
struct Bird {
    position: Position,
}

fn main() {}

//~ remedy
//~ - #[columns(version = 2)]
//~ remedy
//~ - #[columns(version = 2)]
//~ + #[columns(name = "birds", version = 2)]
