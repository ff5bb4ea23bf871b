//! A key has a type.

use schedule::prelude::*;

#[derive(Entity)]
#[entity(key)]
struct Account(u64);

fn main() {}
