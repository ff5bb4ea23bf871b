//! What follows is an event of the stream.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> Then<Deposit> {
    let _ = event.amount;
    Then::events([])
}

#[derive(Event)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

#[test]
fn it_compiles() {}
