//! A key has a type.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(key)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(key)]
//~ + #[record(key = String)]
