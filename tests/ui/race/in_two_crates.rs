//! Nor does it in which crate they live.

use schedule::prelude::*;
use schedule_tests::combat::{Health, poison};

#[system]
fn bleed(_: &mut Health) {}

schedule! {
    Frame {
        poison,
        bleed,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - bleed,
//~ + bleed: after poison,
