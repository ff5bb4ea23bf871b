//! An option of a record is one that there is.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(key = String, name = u32)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(key = String, name = u32)]
//~ + #[record(key = String)]
