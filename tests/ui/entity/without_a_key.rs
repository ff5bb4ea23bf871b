//! Entities are found by keys.

use schedule::prelude::*;

#[derive(Entity)]
struct Account(u64);

fn main() {}
