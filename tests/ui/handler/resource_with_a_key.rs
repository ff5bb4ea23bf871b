//! A resource has no key.

use schedule::prelude::*;
use schedule_stream::prelude::*;

#[derive(Resource)]
struct Bank(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Bank) {
    to.0 += event.amount;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[key(event.to)] to: &mut Bank) {
//~ + fn deposit(event: &Deposit, to: &mut Bank) {
