//! What has happened is known.

use schedule::prelude::*;

#[derive(Event)]
union Entry {
    number: u32,
}

fn main() {}
