//! Where a system stands several times, an order says which one it means.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() {}

schedule! {
    Frame {
        poison as first,
        poison as second,
        heal: after (first, second),
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
