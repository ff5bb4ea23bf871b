//! A union cannot be a message.

use schedule::prelude::*;

#[derive(Message)]
union Hit {
    strength: u32,
}

fn main() {}

//~ remedy
//~ - union Hit {
//~ + struct Hit {
