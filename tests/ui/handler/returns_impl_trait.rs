//! The return type of a handler is named.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> impl Into<u64> {
    event.amount
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit) -> impl Into<u64> {
//~ + fn deposit(event: &Deposit) -> u64 {
