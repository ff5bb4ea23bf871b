//! An option is given once.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = u32, max_id = 10)]
struct Account(u64);

#[test]
fn it_compiles() {}
