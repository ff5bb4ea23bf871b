//! `on missing` cannot follow `->`.

use schedule::prelude::*;

#[system]
fn film() {}

#[system]
fn send() {}

schedule! {
    Frame {
        film -> on missing skip -> send,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - film -> on missing skip -> send,
//~ + film: on missing skip -> send,
