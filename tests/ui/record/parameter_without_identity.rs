//! A generic record is told apart by what it is of.

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
