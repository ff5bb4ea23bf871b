//! The id of an entity is taken by value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[system]
fn list(all: Query<&Entity>) {
    drop(all.iter());
}

fn main() {}

//~ remedy
//~ - fn list(all: Query<&Entity>) {
//~ + fn list(all: Query<Entity>) {
