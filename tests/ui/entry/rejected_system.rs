//! A rejected system is reported once, in however many schedules it is.

use schedule::prelude::*;

#[system]
fn draw() {}

#[system]
async fn poison() {}

schedule! {
    Frame {
        poison,
        draw: after poison,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - async fn poison() {}
//~ + fn poison() {}
