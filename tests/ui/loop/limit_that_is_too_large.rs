//! A limit must fit into a `u64`.

use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn poison() {}

schedule! {
    Frame {
        repeat while is_near at most 99999999999999999999 { poison },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_near at most 99999999999999999999 { poison },
//~ + repeat while is_near at most 9999 { poison },
