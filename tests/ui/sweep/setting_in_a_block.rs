//! A setting that is not a clause applies to the whole schedule, so it cannot be in a block.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[derive(Group)]
struct Needs;

#[system(for_each)]
fn starve(_: &mut Health) {}

schedule! {
    Frame {
        group Needs {
            starve,
            sweep false,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   Frame {
//~ +     sweep false,
//~
//~ - sweep false,
