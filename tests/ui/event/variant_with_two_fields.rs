//! A variant must have exactly one field.

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
    Deposit(Deposit, u32),
}

fn main() {}

//~ remedy
//~ - Deposit(Deposit, u32),
//~ + Deposit(Deposit),
