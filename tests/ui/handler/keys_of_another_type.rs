//! Each key has the key type of the record.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[keys([event.amount])] to: RecordSetMut<Account>) {
    let _ = to;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[keys([event.amount])] to: RecordSetMut<Account>) {
//~ + fn deposit(event: &Deposit, #[keys([event.to])] to: RecordSetMut<Account>) {
