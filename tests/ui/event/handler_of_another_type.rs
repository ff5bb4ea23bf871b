//! The event type of a handler is that of the event.

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
#[event(deposit)]
struct Entry;

fn main() {}

//~ remedy
//~ - #[event(deposit)]
//~ + #[event(any)]
//~
//~ + #[handler]
//~ + fn any(_: &Entry) {}
//~   fn main() {}
