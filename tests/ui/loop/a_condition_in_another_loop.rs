//! A condition cannot be in another loop than the guarded system.

use schedule::prelude::*;

#[system]
fn is_day() -> bool {
    true
}

#[system]
fn is_night() -> bool {
    true
}

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn heal() {}

schedule! {
    Frame {
        repeat while is_day { is_hurt },
        repeat while is_night { heal: if is_hurt },
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - repeat while is_day { is_hurt },
//~ + is_hurt,
//~ + repeat while is_day {},
