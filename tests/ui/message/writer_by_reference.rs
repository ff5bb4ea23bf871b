//! A writer of messages is taken by value.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[system]
fn strike(hits: &mut MessageWriter<Hit>) {
    hits.write(Hit(1));
}

fn main() {}

//~ remedy
//~ - fn strike(hits: &mut MessageWriter<Hit>) {
//~ + fn strike(mut hits: MessageWriter<Hit>) {
