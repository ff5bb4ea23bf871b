//! What runs alone does so beside a system that touches nothing, too.

use schedule::prelude::*;

#[system]
fn load(_: &mut Resources) {}

#[system]
fn wait() {}

schedule! {
    Frame {
        load,
        wait,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - wait,
//~ + wait: after load,
