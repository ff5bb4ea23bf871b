//! Each component of a saved kind can be saved.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::snapshot::Snapshot;
use serde::{Deserialize, Serialize};

#[derive(Component, Snapshot, Serialize, Deserialize)]
#[snapshot(name = "position")]
struct Position(f32);

#[derive(Component)]
struct Texture(u32);

#[derive(Columns)]
#[columns(name = "birds")]
struct Bird {
    position: Position,
    texture: Texture,
}

fn main() {}

//~ remedy
//~ - #[derive(Component)]
//~ + #[derive(Component, Snapshot, Serialize, Deserialize)]
//~ + #[snapshot(name = "texture")]
