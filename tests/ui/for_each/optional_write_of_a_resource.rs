//! A `for_each` system cannot write an optional resource.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Score(f32);

#[system(for_each)]
fn add(position: &Position, #[resource] score: Option<&mut Score>) {
    if let Some(score) = score {
        score.0 += position.0;
    }
}

fn main() {}

//~ remedy
//~ - fn add(position: &Position, #[resource] score: Option<&mut Score>) {
//~ -     if let Some(score) = score {
//~ -         score.0 += position.0;
//~ -     }
//~ + fn add(position: &Position, #[resource] score: Option<&Score>) {
//~ +     let _ = score.map(|score| score.0 + position.0);
