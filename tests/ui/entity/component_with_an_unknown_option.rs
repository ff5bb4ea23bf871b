//! `crate` is the only option of a component.

use schedule_hecs::prelude::*;

#[derive(Component)]
#[component(storage = sparse)]
struct Position;

fn main() {}

//~ remedy
//~ - #[component(storage = sparse)]
