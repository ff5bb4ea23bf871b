//! A reference without `#[resource]` is a component.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Score(f32);

#[system(for_each)]
fn shift(position: &mut Position, score: &Score) {
    position.0 += score.0;
}

fn main() {}

//~ remedy
//~ - fn shift(position: &mut Position, score: &Score) {
//~ + fn shift(position: &mut Position, #[resource] score: &Score) {
