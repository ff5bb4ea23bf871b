//! Keys that are hashed have no maximum.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key = String)]
struct Account(u64);

#[test]
fn it_compiles() {}
