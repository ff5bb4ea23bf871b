//! The parameters of an instance of a handler do not conflict.

use schedule::prelude::*;
use schedule_stream::prelude::*;

#[derive(Resource)]
struct Bank(u64);

#[derive(Resource)]
struct Vault(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

#[handler]
fn deposit<A: Resource, B: Resource>(event: &Deposit, _: &mut A, _: &mut B) {
    let _ = event.amount;
}

#[derive(Event)]
enum Entry {
    #[event(deposit::<Bank, Bank>)]
    Deposit(Deposit),
}

fn main() {}

//~ remedy
//~ - #[event(deposit::<Bank, Bank>)]
//~ + #[event(deposit::<Bank, Vault>)]
