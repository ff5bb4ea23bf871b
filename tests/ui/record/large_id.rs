//! An id is a small number.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u64)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(id = u64)]
//~ + #[record(key = u64)]
