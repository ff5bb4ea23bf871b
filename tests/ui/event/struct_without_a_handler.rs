//! An event has a handler.

use schedule::prelude::*;

#[derive(Event)]
struct Deposit {
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) {
    let _ = event.amount;
}

fn main() {}
