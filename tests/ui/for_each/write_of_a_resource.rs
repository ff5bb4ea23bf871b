//! A `for_each` system cannot write a resource.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Score(f32);

#[system(for_each)]
fn add(position: &Position, #[resource] score: &mut Score) {
    score.0 += position.0;
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn add(position: &Position, #[resource] score: &mut Score) {
//~ -     score.0 += position.0;
//~ + #[system]
//~ + fn add(positions: Query<&Position>, score: &mut Score) {
//~ +     score.0 += positions.iter().map(|position| position.0).sum::<f32>();
