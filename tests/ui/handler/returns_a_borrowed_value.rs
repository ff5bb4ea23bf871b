//! The return value of a handler does not borrow from its event.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> std::borrow::Cow<'_, str> {
    todo!("{}", event.to)
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit) -> std::borrow::Cow<'_, str> {
//~ + fn deposit(event: &Deposit) -> String {
