//! Instances of a generic system are systems of their own.

use schedule::{Identity, prelude::*};

#[derive(Identity)]
struct Sheep;

#[derive(Identity)]
struct Wolf;

#[derive(Resource)]
struct Count;

#[system]
fn spawn<T: Identity>(_: &mut Count) {}

schedule! {
    Frame {
        spawn<Sheep>,
        spawn<Wolf>,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - spawn<Wolf>,
//~ + spawn<Wolf>: after spawn<Sheep>,
