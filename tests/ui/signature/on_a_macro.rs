#![allow(unused_macros)]

use schedule::prelude::*;

#[system]
macro_rules! poison {
    () => {};
}

fn main() {}
