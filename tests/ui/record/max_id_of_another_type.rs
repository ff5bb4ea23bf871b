//! The largest id is a `u32`.

use schedule_stream::prelude::*;

const MOST: usize = 1_000;

#[derive(Record)]
#[record(id = u32, max_id = MOST)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - const MOST: usize = 1_000;
//~ + const MOST: u32 = 1_000;
