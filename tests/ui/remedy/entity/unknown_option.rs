//! An option of an entity is one that there is.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key = String)]
struct Account(u64);

#[test]
fn it_compiles() {}
