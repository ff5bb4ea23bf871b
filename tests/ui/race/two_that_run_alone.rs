//! Two systems that run alone need an order.

use schedule::prelude::*;

#[system]
fn load(_: &mut Resources) {}

#[system]
fn save(_: &mut Resources) {}

schedule! {
    Frame {
        save,
        load,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - load,
//~ + load: after save,
