//! An event does not borrow.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit<'e> {
    to: u32,
    by: &'e str,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit<'_>, #[key(event.to)] to: &mut Account) {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ - struct Deposit<'e> {
//~ + struct Deposit {
//~
//~ - by: &'e str,
//~ + by: String,
//~
//~ - fn deposit(event: &Deposit<'_>, #[key(event.to)] to: &mut Account) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
