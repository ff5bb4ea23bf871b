//! An event has at least one variant.

use schedule_stream::prelude::*;

#[derive(Event)]
enum Entry {}

fn main() {}

//~ remedy
//~ - #[derive(Event)]
