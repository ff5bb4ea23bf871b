//! Something can happen.

use schedule_stream::prelude::*;

#[derive(Event)]
enum Entry {}

fn main() {}

//~ remedy
//~ - #[derive(Event)]
