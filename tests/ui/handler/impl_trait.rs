//! The type of a parameter is named.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut impl Into<u64>) {
    let _ = to;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[key(event.to)] to: &mut impl Into<u64>) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
