//! Only policy `accepted` takes a reason.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison,
        heal,
        policy reject "races" for Health,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy reject "races" for Health,
//~ + policy reject for Health,
