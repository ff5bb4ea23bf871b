//! A schedule has a name, if nothing else.

use schedule::prelude::*;

#[system]
pub fn poison() {}

#[system]
pub fn heal() {}

schedule! {}

fn main() {}
