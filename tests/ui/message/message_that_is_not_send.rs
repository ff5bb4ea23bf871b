//! Messages are read on other threads than those that wrote them.

use std::sync::MutexGuard;

use schedule::prelude::*;

#[derive(Message)]
struct Hit(MutexGuard<'static, u32>);

fn main() {}

//~ remedy
//~ - use std::sync::MutexGuard;
//~ + use std::sync::Mutex;
//~   
//~   use schedule::prelude::*;
//~   
//~   #[derive(Message)]
//~ - struct Hit(MutexGuard<'static, u32>);
//~ + struct Hit(&'static Mutex<u32>);
