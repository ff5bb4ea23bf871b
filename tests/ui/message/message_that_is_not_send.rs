//! Messages are read on other threads than those that wrote them.

use std::sync::MutexGuard;

use schedule::prelude::*;

#[derive(Message)]
struct Hit(MutexGuard<'static, u32>);

fn main() {}

//~ remedy
//~ - use std::sync::MutexGuard;
//~ - struct Hit(MutexGuard<'static, u32>);
//~ + use std::sync::Mutex;
//~ + struct Hit(&'static Mutex<u32>);
