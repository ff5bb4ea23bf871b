//! An attribute cannot say which one it means.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system(after = poison)]
fn heal() {}

schedule! {
    Frame {
        poison,
        poison,
        heal,
    }
}

fn main() {
    Frame::new();
}
