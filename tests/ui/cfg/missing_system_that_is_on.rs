//! A name whose `#[cfg]` is true must exist.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

#[system(after = (poison, #[cfg(all())] missing))]
fn walk() {}

fn main() {}
