//! A schedule has a name.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! { pub { poison } }

fn main() {}
