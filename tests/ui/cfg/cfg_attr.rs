//! `#[cfg_attr(…)]` is not supported.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

schedule! {
    Frame {
        #[cfg_attr(all(), inline)]
        heal,
    }
}

fn main() {
    Frame::new();
}
