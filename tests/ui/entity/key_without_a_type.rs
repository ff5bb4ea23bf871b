//! A key has a type.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(key)]
//~ + #[entity(key = String)]
