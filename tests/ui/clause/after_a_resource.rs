//! Systems, groups, checkpoints and loops have an order; resources have none.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

schedule! {
    Frame {
        poison: after Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - poison: after Health,
//~ + poison,
