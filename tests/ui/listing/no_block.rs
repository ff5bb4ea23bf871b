//! The entries of a schedule must be in braces.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! { Frame }

fn main() {
    Frame::new();
}
