//! Events are sent between threads.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: std::rc::Rc<u64>,
}

#[handler]
fn deposit(event: & Deposit, #[key(event.to)] to: &mut Account) {
    to.0 += *event.amount;
}

fn main() {}

//~ remedy
//~ - amount: std::rc::Rc<u64>,
//~ + amount: std::sync::Arc<u64>,
//~
//~ - fn deposit(event: & Deposit, #[key(event.to)] to: &mut Account) {
//~ + fn deposit(event: &Deposit, #[key(event.to)] to: &mut Account) {
