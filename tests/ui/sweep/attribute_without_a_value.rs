//! The option must have a value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(for_each, sweep)]
fn starve(_: &mut Health) {}

fn main() {}

//~ remedy
//~ - #[system(for_each, sweep)]
//~ + #[system(for_each, sweep = false)]
