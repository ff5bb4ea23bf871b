//! A number that is a place is small.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key = String)]
struct Account(u64);

#[test]
fn it_compiles() {}
