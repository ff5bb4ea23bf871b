//! The fields of a struct of parameters count as parameters.

use schedule::prelude::*;

#[derive(Resource)]
struct Health;

#[derive(Params)]
struct Body<'r> {
    _health: &'r mut Health,
}

#[system]
fn poison(_: &mut Health) {}

#[system]
fn heal(_: Body) {}

schedule! {
    Frame {
        poison,
        heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - heal,
//~ + heal: after poison,
