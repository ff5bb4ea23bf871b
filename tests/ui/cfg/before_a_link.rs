//! A link of a chain is not an entry.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

schedule! {
    Frame {
        poison -> #[cfg(all())] heal,
    }
}

fn main() {
    Frame::new();
}
