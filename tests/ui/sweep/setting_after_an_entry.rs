//! The setting of an entry is a clause, without a comma. That of the schedule comes before all entries.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Health(f32);

#[system(for_each)]
fn starve(_: &mut Health) {}

schedule! {
    Frame {
        starve,
        sweep false,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - starve,
//~ - sweep false,
//~ + starve: sweep false,
