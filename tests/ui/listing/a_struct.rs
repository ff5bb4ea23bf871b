//! A schedule is written without a word before its name.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! { pub struct Frame { poison } }

fn main() {
    Frame::new();
}
