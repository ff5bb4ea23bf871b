//! The pattern of an event is irrefutable.

use schedule_stream::prelude::*;

enum Deposit {
    Cash(u64),
    Check(u64),
}

#[handler]
fn deposit(Deposit::Cash(amount): &Deposit) {
    let _ = amount;
}

fn main() {}

//~ remedy
//~ - fn deposit(Deposit::Cash(amount): &Deposit) {
//~ + fn deposit((Deposit::Cash(amount) | Deposit::Check(amount)): &Deposit) {
