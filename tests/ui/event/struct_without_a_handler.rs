//! An event has a handler.

use schedule_stream::prelude::*;

#[derive(Event)]
struct Deposit {
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) {
    let _ = event.amount;
}

fn main() {}

//~ remedy
//~   #[derive(Event)]
//~ + #[event(deposit)]
