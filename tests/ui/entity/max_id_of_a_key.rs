//! Keys that are hashed have no maximum.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key = String, max_id = 99)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(key = String, max_id = 99)]
//~ + #[entity(key = String)]
