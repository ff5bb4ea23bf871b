//! An event has a handler.

use schedule_stream::prelude::*;

#[derive(Event)]
#[event(deposit)]
struct Deposit {
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) {
    let _ = event.amount;
}

#[test]
fn it_compiles() {}
