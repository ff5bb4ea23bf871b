//! The error of a missing system has its path, if another system of its name is listed.

use schedule::prelude::*;

mod ai {
    use schedule::prelude::*;

    #[system]
    pub(super) fn update() {}
}

mod physics {
    use schedule::prelude::*;

    #[system]
    pub(super) fn update() {}
}

#[system(after = physics::update)]
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
//~ + physics::update,
