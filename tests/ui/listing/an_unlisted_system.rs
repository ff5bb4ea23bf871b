//! An unlisted system is never used.

#![deny(dead_code)]

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! { Frame { poison } }

fn main() {
    Frame::new();
}
