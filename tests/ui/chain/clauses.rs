//! A chain says nothing but its order; the rest is said where a system is listed by itself.

use schedule::prelude::*;

#[system]
fn is_hurt() -> bool {
    true
}

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison -> heal: if is_hurt,
    }
}

fn main() {
    Frame::new();
}
