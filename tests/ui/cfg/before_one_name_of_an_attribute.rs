//! A name without brackets is not an element of a list.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

#[system(after = #[cfg(all())] heal)]
fn walk() {}

fn main() {}
