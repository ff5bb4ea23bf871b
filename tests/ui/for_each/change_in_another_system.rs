//! `changed` applies to `for_each` systems.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(changed = Position)]
fn draw(positions: Query<&Position>) {
    let _ = positions;
}

fn main() {}

//~ remedy
//~ - #[system(changed = Position)]
//~ - fn draw(positions: Query<&Position>) {
//~ + #[system]
//~ + fn draw(positions: Query<&Position, Changed<Position>>) {
