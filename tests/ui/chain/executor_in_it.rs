//! `executor` cannot follow `->`.

use schedule::prelude::*;

#[system]
fn send() {}

#[system]
fn film() {}

schedule! {
    Frame {
        film -> executor serial -> send,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - film -> executor serial -> send,
//~ + executor serial, film -> send,
