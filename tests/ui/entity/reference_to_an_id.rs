//! The id of an entity is taken by value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[system]
fn list(all: Query<&Entity>) {
    let _ = all.iter().len();
}

fn main() {}

//~ remedy
//~ - fn list(all: Query<&Entity>) {
//~ + fn list(all: Query<Entity>) {
