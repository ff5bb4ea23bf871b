//! Errors are made of what handlers return.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> Result<(), String> {
    let _ = event.amount;
    Err("3".to_string())
}

#[derive(Event)]
#[event(error = String)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

#[test]
fn it_compiles() {}
