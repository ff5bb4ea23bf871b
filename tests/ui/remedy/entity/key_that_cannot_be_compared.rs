//! A key can be copied, compared, hashed and shown.

use schedule::prelude::*;

#[derive(Entity)]
#[entity(key = u64)]
struct Account(u64);

#[test]
fn it_compiles() {}
