//! Both of two conditions may hold; only `c` and `not(c)` never do.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system]
fn is_day() -> bool {
    true
}

#[system]
fn is_night() -> bool {
    true
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison: if is_night,
        heal: if is_day,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: if is_day,
//~ + heal: if not(is_night),
