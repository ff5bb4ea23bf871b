//! A name that is on has to be there.

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
