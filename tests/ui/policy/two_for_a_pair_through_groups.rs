//! A system is in two groups that have different policies with one other system.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Group)]
struct Fire;

#[derive(Group)]
struct Ice;

#[system(in = (Fire, Ice))]
fn steam(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        steam,
        heal,
        policy insertion order for (Fire, heal),
        policy writers first for (heal, Ice),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - policy writers first for (heal, Ice),
//~ + policy insertion order for (heal, Ice),
