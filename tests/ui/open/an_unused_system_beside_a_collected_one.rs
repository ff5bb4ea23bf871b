#![deny(dead_code)]

use schedule::prelude::*;

schedule! { open Frame {} }

#[system(schedule = Frame)]
fn poison() {}

#[system]
fn heal() {}

fn main() {}
