//! Something can happen.

use schedule::prelude::*;

#[derive(Event)]
enum Entry {}

fn main() {}
