//! Systems of two crates need an order, too.

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
