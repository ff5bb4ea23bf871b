//! The type parameters of a generic record have an identity.

use schedule::prelude::*;
use schedule_stream::prelude::*;

struct Gold;

#[derive(Record)]
#[record(id = u32)]
struct Account<T>(u64, T);

fn open(accounts: &Records<Account<Gold>>, _: &Resources) {
    let _ = accounts;
}

fn main() {}

//~ remedy
//~ + #[derive(schedule::Identity)]
//~   struct Gold;
