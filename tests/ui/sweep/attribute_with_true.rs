//! `for_each` systems share sweeps by default.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(for_each, sweep = true)]
fn starve(_: &mut Health) {}

fn main() {}

//~ remedy
//~ - #[system(for_each, sweep = true)]
//~ + #[system(for_each)]
