//! The error of a handler converts into the error of the event.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> Result<(), u32> {
    let _ = event.amount;
    Err(3)
}

#[derive(Event)]
#[event(error = String)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit) -> Result<(), u32> {
//~ + fn deposit(event: &Deposit) -> Result<(), String> {
//~
//~ - Err(3)
//~ + Err("3".to_string())
