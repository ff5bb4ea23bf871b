//! A query accesses components.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

struct Position;

#[system]
fn draw(all: Query<&Position>) {
    let _ = all.len();
}

fn main() {}

//~ remedy
//~ - struct Position;
//~ + #[derive(Component)]
//~ + struct Position;
