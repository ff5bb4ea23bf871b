//! The largest id is a `u32`.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = u32, max_id = -1)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(id = u32, max_id = -1)]
//~ + #[entity(id = u32, max_id = 1)]
