//! An event has one handler.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
    to.0 += event.amount;
}

#[handler]
fn any(event: &Entry) {
    let _ = event;
}

#[derive(Event)]
#[event(any)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ - #[event(any)]
