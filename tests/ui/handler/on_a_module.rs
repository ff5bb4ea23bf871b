//! A handler is a function.

use schedule_stream::prelude::*;

#[handler]
mod deposits {}

fn main() {}

//~ remedy
//~ - #[handler]
