//! A schedule is not generic.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! { Frame<T> { poison } }

fn main() {
    Frame::new();
}
