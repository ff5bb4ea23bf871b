//! What is stored by keys is an entity.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = u32)]
struct Account(u64);

fn open(accounts: &Entities<Account>) {
    let _ = accounts;
}

#[test]
fn it_compiles() {}
