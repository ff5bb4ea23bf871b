//! A handler is a function.

use schedule::prelude::*;

#[handler]
struct Deposit;

fn main() {}
