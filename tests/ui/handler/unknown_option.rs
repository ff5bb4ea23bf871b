//! Options of a handler are known.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler(after = deposit)]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ - #[handler(after = deposit)]
//~ + #[handler]
