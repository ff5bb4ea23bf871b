//! A handler is a free function: an `impl` cannot hold its hidden type.

use schedule_stream::prelude::*;

struct Deposit;

impl Deposit {
    #[handler]
    fn deposit(event: &Deposit) {
        let _ = event;
    }
}

fn main() {}

//~ remedy
//~ - impl Deposit {
//~ -     #[handler]
//~ -     fn deposit(event: &Deposit) {
//~ -         let _ = event;
//~ -     }
//~ + #[handler]
//~ + fn deposit(event: &Deposit) {
//~ +     let _ = event;
