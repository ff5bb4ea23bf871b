//! Here one is from one crate and one from another, and a third one lists them.

use schedule::prelude::*;
use schedule_tests::combat::poison;
use schedule_tests_renamed::toil;

schedule! {
    Frame {
        poison,
        toil,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - toil,
//~ + toil: after poison,
