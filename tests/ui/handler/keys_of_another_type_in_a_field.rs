//! Each key has the key type of the record, also if a field of the event contains the keys.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: Vec<u64>,
}

#[handler]
fn deposit(event: &Deposit, #[keys(&event.to)] to: RecordSetMut<Account>) {
    let _ = (event, to);
}

fn main() {}

//~ remedy
//~ - to: Vec<u64>,
//~ + to: Vec<u32>,
