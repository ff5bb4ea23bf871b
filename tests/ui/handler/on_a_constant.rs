//! A handler is a function.

use schedule_stream::prelude::*;

#[handler]
const DEPOSIT: u32 = 3;

fn main() {}

//~ remedy
//~ - #[handler]
