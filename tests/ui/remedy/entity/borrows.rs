//! An entity outlives events.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(id = u32)]
struct Account(String);

#[test]
fn it_compiles() {}
