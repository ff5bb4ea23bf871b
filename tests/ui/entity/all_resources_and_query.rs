//! A system that takes all resources exclusively gets its components from them.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn reset(resources: &mut Resources, mut all: Query<&mut Position>) {
    all.iter_mut().for_each(drop);
    let _ = resources;
}

fn main() {}

//~ remedy
//~ - fn reset(resources: &mut Resources, mut all: Query<&mut Position>) {
//~ + fn reset(resources: &mut Resources) {
//~ +     let mut all = resources.get_mut::<World>().unwrap().query::<&mut Position>();
