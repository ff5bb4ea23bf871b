//! A query accesses components.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Resource)]
struct Position;

#[system]
fn draw(all: Query<&Position>) {
    let _ = all.len();
}

fn main() {}

//~ remedy
//~ - #[derive(Resource)]
//~ + #[derive(Component)]
