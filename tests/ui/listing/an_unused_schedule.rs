//! A schedule that nobody makes is never used.

#![deny(dead_code)]

use schedule::prelude::*;

#[system]
fn poison() {}

schedule! { Frame { poison } }

fn main() {}
