//! A query of entities cannot be copied. Another system copies the components into a resource.

use schedule::prelude::*;
use schedule::spanning::results;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Goal(u32);

#[derive(Resource, Clone)]
struct Goals(Vec<u32>);

#[system(after = results<search>, before = search)]
fn gather(units: Query<&Goal>, goals: &mut Goals) {
    goals.0 = units.iter().map(|goal| goal.0).collect();
}

#[system(spanning)]
fn search(units: Query<&Goal>) {
    let _ = units.len();
}

fn main() {}

//~ remedy
//~ - fn search(units: Query<&Goal>) {
//~ + fn search(goals: &Goals) {
//~ - let _ = units.len();
//~ + let _ = goals.0.len();
