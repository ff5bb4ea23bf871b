#![deny(dead_code)]

use schedule::prelude::*;

#[system]
fn poison() {}

fn main() {}
