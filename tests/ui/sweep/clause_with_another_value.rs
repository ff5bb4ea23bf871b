//! The clause has the same value as the option of the attribute.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(for_each)]
fn starve(_: &mut Health) {}

schedule! {
    Frame {
        starve: sweep off,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - starve: sweep off,
//~ + starve: sweep false,
