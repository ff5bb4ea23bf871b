//! A handler is a function.

use schedule::prelude::*;

#[handler]
mod deposits {}

fn main() {}
