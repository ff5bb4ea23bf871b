//! One `schedule!` lists one schedule.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! { Frame { poison } Other { heal } }

fn main() {
    Frame::new();
}
