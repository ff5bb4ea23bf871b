//! The pool determines the number of threads, not the executor.

use schedule::prelude::*;

#[system]
fn film() {}

schedule! {
    Frame {
        executor parallel(2),
        film,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - executor parallel(2),
//~ + executor parallel,
