//! Only systems and loops run on a thread.

use schedule::prelude::*;

#[derive(Group)]
struct Drawing;

#[system]
fn draw() {}

schedule! {
    Frame {
        group Drawing: main_thread { draw }
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - group Drawing: main_thread { draw }
//~ + group Drawing { draw: main_thread }
