//! Entities are found in one way.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key = String, key = u32)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(key = String, key = u32)]
//~ + #[entity(key = String)]
