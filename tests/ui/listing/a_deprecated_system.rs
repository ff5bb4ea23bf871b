//! A listing names its systems, and hears of it.

#![deny(deprecated)]

use schedule::prelude::*;

#[deprecated]
#[system]
fn poison() {}

schedule! { Frame { poison } }

fn main() {
    Frame::new();
}
