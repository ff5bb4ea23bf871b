//! A resource is taken once.

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
fn deposit(event: &Deposit, _all: &Bank, _one: Option<&mut Bank>) {
    let _ = event;
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit, _all: &Bank, _one: Option<&mut Bank>) {
//~ + fn deposit(event: &Deposit, _one: Option<&mut Bank>) {
