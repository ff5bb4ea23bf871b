//! Only parameters of `for_each` systems have `#[resource]`.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Score(f32);

#[system]
fn add(#[resource] score: &mut Score) {
    score.0 += 1.0;
}

fn main() {}

//~ remedy
//~ - fn add(#[resource] score: &mut Score) {
//~ + fn add(score: &mut Score) {
