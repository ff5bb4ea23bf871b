//! A handler returns.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> ! {
    todo!("{}", event.to)
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit) -> ! {
//~ + fn deposit(event: &Deposit) -> () {
