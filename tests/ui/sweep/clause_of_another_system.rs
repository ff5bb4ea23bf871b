//! Only `for_each` systems share sweeps.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system]
fn starve(_: Query<&mut Health>) {}

schedule! {
    Frame {
        starve: sweep false,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - starve: sweep false,
//~ + starve,
