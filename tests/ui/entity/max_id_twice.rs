//! An option is given once.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = u32, max_id = 10, max_id = 20)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(id = u32, max_id = 10, max_id = 20)]
//~ + #[entity(id = u32, max_id = 10)]
