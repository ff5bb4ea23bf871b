//! An option is given once.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32, max_id = 10, max_id = 20)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(id = u32, max_id = 10, max_id = 20)]
//~ + #[record(id = u32, max_id = 10)]
