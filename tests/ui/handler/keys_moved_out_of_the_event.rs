//! Keys are not moved out of the event.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    all: Vec<u32>,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[keys(event.all)] to: RecordSetMut<Account>) {
    let _ = (event.amount, to);
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[keys(event.all)] to: RecordSetMut<Account>) {
//~ + fn deposit(event: &Deposit, #[keys(&event.all)] to: RecordSetMut<Account>) {
