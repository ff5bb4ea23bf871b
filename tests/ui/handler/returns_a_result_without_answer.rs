//! The `Ok` type of a handler is an answer.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

struct Receipt(u64);

#[handler]
fn deposit(event: &Deposit) -> Result<Receipt, String> {
    Ok(Receipt(event.amount))
}

fn main() {}

//~ remedy
//~ + impl schedule_stream::answers::Answer for Receipt {}
//~   #[handler]
