//! A union is not a record.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
union Account {
    balance: u64,
}

fn main() {}

//~ remedy
//~ - union Account {
//~ + struct Account {
