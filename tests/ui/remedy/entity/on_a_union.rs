//! An entity is something in particular.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = u32)]
struct Account {
    balance: u64,
}

#[test]
fn it_compiles() {}
