//! Two `for_each` systems that write one component need an order.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn grow(position: &mut Position) {
    position.0 *= 2.0;
}

#[system(for_each)]
fn shift(position: &mut Position) {
    position.0 += 1.0;
}

schedule! { Frame { grow, shift } }

fn main() {}

//~ remedy
//~ - schedule! { Frame { grow, shift } }
//~ + schedule! { Frame { grow -> shift } }
