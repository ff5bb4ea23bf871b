//! An optional record is taken by value.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Option<&mut Account>) {
    let _ = (event, to);
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[key(event.to)] to: &mut Option<&mut Account>) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] to: Option<&mut Account>) {
