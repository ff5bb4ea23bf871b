//! Options of an event are known.

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
#[event(capacity = 3)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ - #[event(capacity = 3)]
