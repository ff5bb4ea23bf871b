//! The one option of a schedule is where the crate is.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! {
    #[schedule(name = "frame")]
    Frame { poison }
}

fn main() {
    Frame::new();
}
