//! An option of an entity is one that there is.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key = String, name = u32)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(key = String, name = u32)]
//~ + #[entity(key = String)]
