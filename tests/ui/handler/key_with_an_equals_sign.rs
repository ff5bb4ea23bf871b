//! A key is in parentheses.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key = "to"] to: &mut Account) {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[key = "to"] to: &mut Account) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
