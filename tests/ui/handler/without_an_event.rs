//! A handler takes an event.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit() {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ - fn deposit() {
//~ -     to.0 += event.amount;
//~ + fn deposit(event: &Deposit) {
//~ +     let _ = event.amount;
