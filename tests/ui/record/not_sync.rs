//! Records are read by several threads.

use schedule_stream::prelude::*;

use std::cell::Cell;

#[derive(Record)]
#[record(id = u32)]
struct Account(Cell<u64>);

fn main() {}

//~ remedy
//~ - use std::cell::Cell;
//~ + use std::sync::Mutex;
//~
//~ - struct Account(Cell<u64>);
//~ + struct Account(Mutex<u64>);
