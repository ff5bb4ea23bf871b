//! A number that is a place is small.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = String)]
struct Account(u64);

fn main() {}

//~ remedy
//~ - #[entity(id = String)]
//~ + #[entity(key = String)]
