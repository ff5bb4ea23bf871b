//! Entities are read by several threads.

use schedule_stream::prelude::*;

use std::cell::Cell;

#[derive(Entity)]
#[entity(id = u32)]
struct Account(Cell<u64>);

fn main() {}
