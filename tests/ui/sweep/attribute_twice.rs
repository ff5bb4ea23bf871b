//! The option is given once.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(for_each, sweep = false, sweep = false)]
fn starve(_: &mut Health) {}

fn main() {}

//~ remedy
//~ - #[system(for_each, sweep = false, sweep = false)]
//~ + #[system(for_each, sweep = false)]
