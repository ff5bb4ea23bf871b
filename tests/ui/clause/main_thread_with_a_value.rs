//! `main_thread` takes no value.

use schedule::prelude::*;

#[system]
fn draw() {}

schedule! {
    Frame {
        draw: main_thread = 3,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw: main_thread = 3,
//~ + draw: main_thread,
