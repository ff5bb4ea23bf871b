//! The return type of a handler converts into the answer of the event.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> u64 {
    event.amount
}

#[derive (Event)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ - #[derive (Event)]
//~ + #[derive(Event)]
//~ + #[event(answer = u64)]
