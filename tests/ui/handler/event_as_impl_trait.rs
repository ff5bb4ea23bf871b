//! The event type of a handler is named.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: impl Into<Deposit>, #[key(event.to)] to: &mut Account) {
    let _ = (event, to);
}

fn main() {}

//~ remedy
//~ - fn deposit(event: impl Into<Deposit>, #[key(event.to)] to: &mut Account) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
