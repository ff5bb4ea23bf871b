//! The values of a store are records.

use schedule_stream::prelude::*;

struct Account(u64);

fn open(accounts: &Records<Account>) {
    let _ = accounts;
}

fn main() {}

//~ remedy
//~ + #[derive(Record)]
//~ + #[record(id = u32)]
//~   struct Account(u64);
