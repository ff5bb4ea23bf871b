//! Two systems that run alone write everything.

use schedule::prelude::*;

#[system]
fn load(_: &mut Resources) {}

#[system]
fn save(_: &mut Resources) {}

schedule! {
    Frame {
        save,
        load,
        policy writers first,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - load,
//~ + load: after save,
