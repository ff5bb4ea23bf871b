//! A condition that is on has to answer.

use schedule::prelude::*;

#[system]
fn poison() {}

#[system]
fn heal() -> bool {
    true
}

#[system(if = (heal, #[cfg(any())] missing, #[cfg(all())] poison))]
fn walk() {}

fn main() {}
