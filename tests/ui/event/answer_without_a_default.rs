//! The answer has a default if a handler returns nothing.

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

struct Receipt(u64);

#[derive(Event)]
#[event(answer = Receipt)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ + #[derive(Default)]
//~   struct Receipt(u64);
