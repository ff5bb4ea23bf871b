//! A system has at most one reader of a message type.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[system]
fn suffer(hits: MessageReader<Hit>, others: MessageReader<Hit>) {
    let _ = hits.len() + others.len();
}

fn main() {}

//~ remedy
//~ - fn suffer(hits: MessageReader<Hit>, others: MessageReader<Hit>) {
//~ -     let _ = hits.len() + others.len();
//~ + fn suffer(hits: MessageReader<Hit>) {
//~ +     let _ = hits.len() + hits.len();
