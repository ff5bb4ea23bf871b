//! A query of entities cannot be copied.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Goal(u32);

#[derive(Resource, Clone, Default)]
struct Paths(Vec<u32>);

#[system(spanning)]
fn search(units: Query<&Goal>, paths: &mut Paths) {
    paths.0 = units.iter().map(|goal| goal.0).collect();
}

fn main() {}
