//! `type = …` names the type that is listed; a remedy has the path that the listing has.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[system(type = Poison)]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: &mut Health) {}

schedule! {
    Frame {
        Poison,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after Poison,
