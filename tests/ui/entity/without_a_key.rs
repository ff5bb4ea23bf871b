//! Entities are found by keys.

use schedule_stream::prelude::*;

#[derive(Entity)]
struct Account(u64);

fn main() {}

//~ remedy
//~   #[derive(Entity)]
//~ + #[entity(key = String)]
