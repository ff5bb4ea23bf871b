//! The largest id is a `u32`.

use schedule_stream::prelude::*;

const MOST: u32 = 1_000;

#[derive(Entity)]
#[entity(id = u32, max_id = MOST)]
struct Account(u64);

#[test]
fn it_compiles() {}
