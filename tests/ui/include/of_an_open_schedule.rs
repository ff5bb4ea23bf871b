//! An open schedule cannot be a plugin: its systems are known only when the program is linked.

use schedule::prelude::*;

#[derive(Resource)]
struct Position;

#[derive(Resource)]
struct Velocity;

#[system]
fn accelerate(_: &mut Velocity) {}

#[system(after = accelerate)]
fn integrate(_: &Velocity, _: &mut Position) {}

schedule! {
    open Physics {
        accelerate,
        integrate,
    }
}

schedule! {
    Frame {
        include Physics,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - open Physics {
//~ + Physics {
