//! The largest id is a `u32`.

use schedule_stream::prelude::*;

#[derive(Record)]
#[record(id = u32, max_id = 5_000_000_000)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[record(id = u32, max_id = 5_000_000_000)]
//~ + #[record(id = u32, max_id = 4_000_000_000)]
