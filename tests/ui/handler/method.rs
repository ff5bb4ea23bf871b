//! A handler is a free function.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32)]
struct Account(u64);

struct Deposit {
    to: u32,
    amount: u64,
}

impl Deposit {
    #[handler]
    fn deposit(&self, event: &Deposit) {
        let _ = event;
    }
}

fn main() {}

//~ remedy
//~ - impl Deposit {
//~ -     #[handler]
//~ -     fn deposit(&self, event: &Deposit) {
//~ -         let _ = event;
//~ -     }
//~ + #[handler]
//~ + fn deposit(event: &Deposit) {
//~ +     let _ = event;
