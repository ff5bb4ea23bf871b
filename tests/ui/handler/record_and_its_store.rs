//! A handler that writes a record cannot take its store.

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

#[handler]
fn deposit(event: &Deposit, _all: &Records<Account>, #[key(event.to)] _one: &mut Account) {
    let _ = event;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, _all: &Records<Account>, #[key(event.to)] _one: &mut Account) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] _one: &mut Account) {
