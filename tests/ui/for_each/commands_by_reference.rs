//! `Commands` are taken by value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Weight(u32);

#[system(for_each)]
fn weigh(weight: &Weight, commands: &mut Commands) {
    let heavy = weight.0 > 10;
    commands.push(move |_| assert!(!heavy));
}

fn main() {}

//~ remedy
//~ - fn weigh(weight: &Weight, commands: &mut Commands) {
//~ + fn weigh(weight: &Weight, mut commands: Commands) {
