//! Systems on the main thread run one after the other, and need an order all the same.

use schedule::{Identity, NonSendMut, prelude::*};

#[derive(Identity)]
struct Window;

#[system]
fn paint(_: NonSendMut<Window>) {}

#[system]
fn resize(_: NonSendMut<Window>) {}

schedule! {
    Frame {
        paint,
        resize,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - resize,
//~ + resize: after paint,
