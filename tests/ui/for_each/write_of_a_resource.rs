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
//~ + impl Foldable for Score {
//~ +     type Partial = f32;
//~ +     fn join(&mut self, partial: f32) {
//~ +         self.0 += partial;
//~ +     }
//~ + }
//~ + #[system(for_each)]
//~ + fn add(position: &Position, mut score: Fold<Score>) {
//~ +     *score += position.0;
