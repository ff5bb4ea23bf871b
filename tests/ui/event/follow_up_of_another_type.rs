//! Follow-up events convert into the event of the stream.

use schedule_stream::prelude::*;

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit(event: &Deposit) -> FollowUps<u32> {
    let _ = event.amount;
    FollowUps::events([3])
}

#[derive (Event)]
enum Entry {
    #[event(deposit)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ - fn deposit(event: &Deposit) -> FollowUps<u32> {
//~ + fn deposit(event: &Deposit) -> FollowUps<Deposit> {
//~
//~ - FollowUps::events([3])
//~ + FollowUps::events([])
//~
//~ - #[derive (Event)]
//~ + #[derive(Event)]
