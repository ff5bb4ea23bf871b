//! Nor does it in which crate they live.

use schedule::prelude::*;
use schedule_tests::combat::{Health, poison};

#[system]
fn bleed(_: &mut Health) {}

schedule! {
    Frame {
        poison,
        bleed: after poison,
    }
}

#[test]
fn it_compiles() {
    Frame::new();
}
