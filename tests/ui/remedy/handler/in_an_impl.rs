//! A handler is a free function: an `impl` cannot hold its hidden type.

use schedule_stream::prelude::*;

struct Deposit;

#[handler]
fn deposit(event: &Deposit) {
    let _ = event;
}

#[test]
fn it_compiles() {}
