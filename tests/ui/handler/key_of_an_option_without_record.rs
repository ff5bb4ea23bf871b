//! An optional parameter with a key is a record.

use schedule_stream::prelude::*;

struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: Option<&mut Account>) {
    let _ = to;
}

fn main() {}

//~ remedy
//~ + #[derive(Record)]
//~ + #[record(id = u32)]
//~   struct Account(u64);
