//! A schedule that is never created is unused.

#![deny(dead_code)]

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! { Frame { poison } }

fn main() {}
