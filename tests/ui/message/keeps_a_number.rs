//! The number of messages to keep is a type.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[system]
fn suffer(hits: MessageReader<Hit, u32>) {
    let _ = hits.len();
}

fn main() {}

//~ remedy
//~ - fn suffer(hits: MessageReader<Hit, u32>) {
//~ + fn suffer(hits: MessageReader<Hit, schedule::message::KeepLatest<32>>) {
