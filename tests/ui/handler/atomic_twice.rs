//! An option without a value is given once.

use schedule_stream::prelude::*;

#[derive(Clone, Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler(atomic, atomic)]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ - #[handler(atomic, atomic)]
//~ + #[handler(atomic)]
