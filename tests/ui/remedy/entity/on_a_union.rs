//! An entity is something in particular.

use schedule::prelude::*;

#[derive(Entity)]
#[entity(id = u32)]
struct Account {
    balance: u64,
}

#[test]
fn it_compiles() {}
