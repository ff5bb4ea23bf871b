//! A schedule has the setting once.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(for_each)]
fn starve(_: &mut Health) {}

schedule! {
    Frame {
        sweep false,
        sweep false,
        starve,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ -     sweep false,
//~       sweep false,
