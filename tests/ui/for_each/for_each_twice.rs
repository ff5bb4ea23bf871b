//! The option `for_each` is given once.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each, for_each = World)]
fn shift(position: &mut Position) {
    position.0 += 1.0;
}

fn main() {}

//~ remedy
//~ - #[system(for_each, for_each = World)]
//~ + #[system(for_each)]
