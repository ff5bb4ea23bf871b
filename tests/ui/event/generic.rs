//! An event is not generic.

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

#[derive(Event)]
enum Entry<T> {
    #[event(deposit)]
    Deposit(T),
}

fn main() {}

//~ remedy
//~ - enum Entry<T> {
//~ + enum Entry {
//~
//~ - Deposit(T),
//~ + Deposit(Deposit),
