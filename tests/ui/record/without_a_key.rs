//! A record has a key.

use schedule_stream::prelude::*;

#[derive(Record)]
struct Account(u64);

fn main() {}

//~ remedy
//~   #[derive(Record)]
//~ + #[record(key = String)]
