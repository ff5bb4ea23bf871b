//! A `for_each` system takes a parameter that is not a resource.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Score(f32);

#[system(for_each)]
fn print(#[resource] score: &Score) {
    println!("{}", score.0);
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn print(#[resource] score: &Score) {
//~ + #[system]
//~ + fn print(score: &Score) {
