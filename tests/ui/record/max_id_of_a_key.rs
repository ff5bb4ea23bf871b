//! Hashed keys have no maximum.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(key = String, max_id = 99)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(key = String, max_id = 99)]
//~ + #[record(key = String)]
