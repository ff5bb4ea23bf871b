//! A record has one kind of key.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(key = String, id = u32)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(key = String, id = u32)]
//~ + #[record(key = String)]
