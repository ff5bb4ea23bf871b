//! All variants have the same answer type.

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
    #[event(deposit, answer = u32)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ - #[event(deposit, answer = u32)]
//~ + #[event(deposit)]
