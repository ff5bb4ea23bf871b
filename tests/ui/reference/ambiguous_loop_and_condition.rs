//! A loop and its condition, listed for others, go by the same name.

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
        is_due,
        repeat while is_due { poison }
        heal: if is_due,
        draw: after is_due,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_due { poison }
//~ + repeat while is_due as steps { poison }
//~
//~ - draw: after is_due,
//~ + draw: after steps,
