//! An order is transitive, so it may contradict several others together.

use schedule::prelude::*;

#[system]
fn input() {}

#[system]
fn movement() {}

#[system]
fn render() {}

schedule! {
    Frame {
        input: after render,
        movement: after input,
        render: after movement,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - input: after render,
//~ + input,
