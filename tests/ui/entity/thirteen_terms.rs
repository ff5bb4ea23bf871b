//! A tuple has at most twelve terms, but tuples can be nested.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn draw(all: Query<(
    &Position, &Position, &Position, &Position, &Position, &Position, &Position,
    &Position, &Position, &Position, &Position, &Position, &Position,
)>) {
    let _ = all;
}

fn main() {}

//~ remedy
//~ - &Position, &Position, &Position, &Position, &Position, &Position, &Position,
//~ - &Position, &Position, &Position, &Position, &Position, &Position,
//~ + (&Position, &Position, &Position, &Position, &Position, &Position, &Position),
//~ + (&Position, &Position, &Position, &Position, &Position, &Position),
