//! A key can be copied, compared, hashed and shown.

use schedule::prelude::*;

#[derive(Entity)]
#[entity(key = f64)]
struct Account(u64);

fn main() {}
