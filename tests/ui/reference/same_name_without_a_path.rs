//! The error of a missing system names the listed system of the same name, if its own path does not tell them apart.

use schedule::prelude::*;

mod ai {
    use schedule::prelude::*;

    #[system]
    pub(super) fn update() {}
}

#[system]
fn update() {}

#[system(after = update)]
fn heal() {}

schedule! {
    Frame {
        ai::update,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~   ai::update,
//~ + update,
