//! A record has one key type.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(key = String, key = u32)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(key = String, key = u32)]
//~ + #[record(key = String)]
