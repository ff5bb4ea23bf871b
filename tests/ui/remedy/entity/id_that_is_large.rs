//! A number that is a place is small.

use schedule_stream::prelude::*;

#[derive(Entity)]
#[entity(key = u64)]
struct Account(u64);

#[test]
fn it_compiles() {}
