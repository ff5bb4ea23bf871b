//! A plugin cannot have a block: its entries are listed in a `schedule!` of its own.

use schedule::prelude::*;

#[derive(Resource)]
struct Position;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

#[system(after = accelerate)]
fn integrate(_: &Velocity, _: &mut Position) {}

#[derive(Group)]
struct Physics;

schedule! {
    Frame {
        include Physics { accelerate, integrate }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - include Physics { accelerate, integrate }
//~ + group Physics { accelerate, integrate }
