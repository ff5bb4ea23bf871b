//! A handler is a function.

use schedule::prelude::*;

#[handler]
const DEPOSIT: u32 = 3;

fn main() {}
