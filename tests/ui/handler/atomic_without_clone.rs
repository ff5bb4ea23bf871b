//! An atomic handler clones the records that it writes.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler(atomic)]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ - #[derive(Record)]
//~ + #[derive(Clone, Record)]
