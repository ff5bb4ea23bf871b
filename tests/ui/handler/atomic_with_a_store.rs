//! An atomic handler does not write a whole store.

use schedule_stream::prelude::*;

#[derive(Clone, Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler(atomic)]
fn deposit(event: &Deposit, all: &mut Records<Account>) {
    if let Some(to) = all.get_mut(event.to) {
        to.0 += event.amount;
    }
}

fn main() {}

//~ remedy
//~ - #[handler(atomic)]
//~ + #[handler]
