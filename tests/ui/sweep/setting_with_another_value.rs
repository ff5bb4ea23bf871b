//! Systems share sweeps by default.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(for_each)]
fn starve(_: &mut Health) {}

schedule! {
    Frame {
        sweep true,
        starve,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - sweep true,
