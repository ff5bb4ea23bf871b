//! A number that is a place is small.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = u64)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(id = u64)]
//~ + #[entity(key = u64)]
