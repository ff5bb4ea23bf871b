//! A handler borrows records.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] _to: Account) {
    let _ = event.amount;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[key(event.to)] _to: Account) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] _to: &mut Account) {
