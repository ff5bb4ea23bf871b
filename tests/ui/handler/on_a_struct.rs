//! A handler is a function.

use schedule_stream::prelude::*;

#[handler]
struct Deposit;

fn main() {}

//~ remedy
//~ - #[handler]
