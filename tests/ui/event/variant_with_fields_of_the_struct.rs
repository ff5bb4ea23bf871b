//! A variant must have exactly one field without a name.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
    to.0 += event.amount;
}

#[derive(Event)]
enum Entry {
    #[event(deposit)]
    Deposit { to: u32, amount: u64 },
}

fn main() {}

//~ remedy
//~ - Deposit { to: u32, amount: u64 },
//~ + Deposit(Deposit),
