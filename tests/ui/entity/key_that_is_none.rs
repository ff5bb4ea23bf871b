//! A key can be copied, compared, hashed and shown.

use schedule::prelude::*;

struct Name(String);

#[derive(Entity)]
#[entity(key = Name)]
struct Account(u64);

fn main() {}
