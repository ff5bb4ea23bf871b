//! A weak order against a group applies to each member that conflicts.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Group)]
struct Combat;

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        heal: after_if_conflicting Combat,
        group Combat { poison: after heal },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Combat { poison: after heal },
//~ + group Combat { poison },
