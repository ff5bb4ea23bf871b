//! With `alias = first`, the later parameter is optional.

use schedule::prelude::*;
use schedule_stream::prelude::*;

#[derive(Resource)]
struct Bank(u64);

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler(alias = first)]
fn deposit(event: &Deposit, #[key(event.to)] _one: &mut Account, #[key(event.to)] _other: &mut Account) {
    let _ = event;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, #[key(event.to)] _one: &mut Account, #[key(event.to)] _other: &mut Account) {
//~ + fn deposit(
//~ +     event: &Deposit,
//~ +     #[key(event.to)] _one: &mut Account,
//~ +     #[key(event.to)] _other: Option<&mut Account>,
//~ + ) {
