//! A group orders its members against others, not among each other.

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
        group Combat {
            poison,
            heal,
        }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after poison,
