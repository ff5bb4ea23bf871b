//! Only `for_each` systems share sweeps.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(sweep = false)]
fn starve(_: Query<&mut Health>) {}

fn main() {}

//~ remedy
//~ - #[system(sweep = false)]
//~ + #[system]
