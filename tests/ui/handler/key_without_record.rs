//! A parameter with a key is a record.

use schedule_stream::prelude::*;

struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: & mut Account) {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ + #[derive(Record)]
//~ + #[record(id = u32)]
//~   struct Account(u64);
//~
//~ - fn deposit(event: &Deposit, #[key(event.to)] to: & mut Account) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
