//! What is stored by keys is an entity.

use schedule_stream::prelude::*;

struct Account(u64);

fn open(accounts: &Entities<Account>) {
    let _ = accounts;
}

fn main() {}

//~ remedy
//~ + #[derive(Entity)]
//~ + #[entity(id = u32)]
//~   struct Account(u64);
