//! Several systems read a message at the same time.

use std::cell::Cell;

use schedule::prelude::*;

#[derive(Message)]
struct Hit(Cell<u32>);

fn main() {}

//~ remedy
//~ - use std::cell::Cell;
//~ + use std::sync::atomic::AtomicU32;
//~   
//~   use schedule::prelude::*;
//~   
//~   #[derive(Message)]
//~ - struct Hit(Cell<u32>);
//~ + struct Hit(AtomicU32);
