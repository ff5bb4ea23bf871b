//! A parameter has at most one writer of a message type.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[derive(Params)]
struct Weapons<'r> {
    hits: (MessageWriter<'r, Hit>, MessageWriter<'r, Hit>),
}

fn main() {}

//~ remedy
//~ -     hits: (MessageWriter<'r, Hit>, MessageWriter<'r, Hit>),
//~ +     hits: MessageWriter<'r, Hit>,
