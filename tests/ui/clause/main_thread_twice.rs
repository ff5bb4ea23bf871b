//! A system is bound to the main thread once.

use schedule::prelude::*;

#[system]
fn draw() {}

schedule! {
    Frame {
        draw: main_thread main_thread,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw: main_thread main_thread,
//~ + draw: main_thread,
