//! A union is not an event.

use schedule_stream::prelude::*;

#[derive(Event)]
union Entry {
    number: u32,
}

fn main() {}

//~ remedy
//~ - #[derive(Event)]
//~ - union Entry {
//~ + struct Entry {
