//! A function becomes a handler by its attribute.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

fn deposit(event: &Deposit) {
    let _ = event.amount;
}

#[derive(Event)]
enum Entry  {
    #[event(deposit)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ + #[handler]
//~   fn deposit(event: &Deposit) {
//~
//~ - enum Entry  {
//~ + enum Entry {
