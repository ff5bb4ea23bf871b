//! A generic parameter with a key is a record.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit<T: Send>(event: &Deposit, #[key(event.to)] to: &mut T) {
    let _ = to;
}

fn main() {}

//~ remedy
//~ - fn deposit<T: Send>(event: &Deposit, #[key(event.to)] to: &mut T) {
//~ + fn deposit<T: Record<Key = u32>>(event: &Deposit, #[key(event.to)] to: &mut T) {
