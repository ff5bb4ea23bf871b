//! Entities are read by several threads.

use schedule_stream::prelude::*;

use std::sync::Mutex;

#[derive(Entity)]
#[entity(id = u32)]
struct Account(Mutex<u64>);

#[test]
fn it_compiles() {}
