//! A parameter without a key is a resource.

use schedule_stream::prelude::*;

struct Bank(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit, bank: &mut Bank) {
    bank.0 += event.amount;
}

fn main() {}

//~ remedy
//~   use schedule_stream::prelude::*;
//~ + use schedule::prelude::*;
//~
//~ + #[derive(Resource)]
//~   struct Bank(u64);
