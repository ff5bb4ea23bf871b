//! A filter is about components.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

struct Frozen;

#[system]
fn draw(all: Query<&Position, Without<Frozen>>) {
    all.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - struct Frozen;
//~ + #[derive(Component)]
//~ + struct Frozen;
