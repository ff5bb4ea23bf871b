//! A record set is taken by value.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
}

#[handler]
fn deposit(event: &Deposit, #[keys([event.to])] to: &mut RecordSetMut<Account>) {
    let _ = (event, to);
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[keys([event.to])] to: &mut RecordSetMut<Account>) {
//~ + fn deposit(event: &Deposit, #[keys([event.to])] to: RecordSetMut<Account>) {
