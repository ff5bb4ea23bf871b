//! Branches of a selector are exclusive as far as they share no answer.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Branch, Clone, Copy)]
enum Gait {
    Stand,
    Walk,
    Run,
}

#[system]
fn gait() -> Gait {
    Gait::Stand
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        poison: if not(is(gait, Gait::Stand)),
        heal: if is(gait, Gait::Run),
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal: if is(gait, Gait::Run),
//~ + heal: after poison if is(gait, Gait::Run),
