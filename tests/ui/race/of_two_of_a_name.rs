//! Messages distinguish systems with the same name by their modules.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

mod ai {
    use schedule::prelude::*;

    #[system]
    pub(super) fn update(health: &mut super::Health) {
        health.0 += 1;
    }
}

mod physics {
    use schedule::prelude::*;

    #[system]
    pub(super) fn update(health: &mut super::Health) {
        health.0 -= 1;
    }
}

schedule! {
    Frame {
        ai::update,
        physics::update,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - physics::update,
//~ + physics::update: after ai::update,
