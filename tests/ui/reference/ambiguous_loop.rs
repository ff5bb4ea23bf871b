//! Two loops with the same condition need names.

use schedule::prelude::*;

#[system]
fn is_due() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

#[system]
fn draw() {}

schedule! {
    Frame {
        repeat while is_due { poison }
        repeat while is_due { heal }
        draw: after is_due,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { poison }
//~ - repeat while is_due { heal }
//~ - draw: after is_due,
//~ + repeat while is_due as first { poison }
//~ + repeat while is_due as second { heal }
//~ + draw: after second,
