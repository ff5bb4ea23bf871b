//! A key can be copied, compared, hashed and shown.

use schedule::prelude::*;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Name(String);

#[derive(Entity)]
#[entity(key = Name)]
struct Account(u64);

#[test]
fn it_compiles() {}
