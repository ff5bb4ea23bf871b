//! A system has at most one writer of a message type.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[system]
fn strike(mut hits: MessageWriter<Hit>, mut others: MessageWriter<Hit>) {
    hits.write(Hit(1));
    others.write(Hit(2));
}

fn main() {}

//~ remedy
//~ - fn strike(mut hits: MessageWriter<Hit>, mut others: MessageWriter<Hit>) {
//~ + fn strike(mut hits: MessageWriter<Hit>) {
//~   hits.write(Hit(1));
//~ -     others.write(Hit(2));
//~ +     hits.write(Hit(2));
