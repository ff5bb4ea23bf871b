//! A `#[cfg]` has a predicate.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

#[system(after = (poison, #[cfg] heal))]
fn walk() {}

fn main() {}
