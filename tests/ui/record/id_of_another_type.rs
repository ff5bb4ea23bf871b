//! An id is a small number.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = String)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(id = String)]
//~ + #[record(key = String)]
