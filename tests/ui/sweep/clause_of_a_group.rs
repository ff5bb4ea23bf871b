//! A group shares no sweep, only its members do.

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
        group Needs: sweep false {
            starve,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Needs: sweep false {
//~ + group Needs {
//~ - starve,
//~ + starve: sweep false,
