//! A generic entity is told apart by what it is of.

use schedule::prelude::*;
use schedule_stream::prelude::*;

struct Gold;

#[derive(Entity)]
#[entity(id = u32)]
struct Account<T>(u64, T);

fn open(accounts: &Entities<Account<Gold>>, _: &Resources) {
    let _ = accounts;
}

fn main() {}

//~ remedy
//~ + #[derive(schedule::Identity)]
//~   struct Gold;
