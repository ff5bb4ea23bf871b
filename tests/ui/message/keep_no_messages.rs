//! A reader of the latest messages keeps at least one.

use schedule::message::KeepLatest;
use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[system]
fn suffer(hits: MessageReader<Hit, KeepLatest<0>>) {
    let _ = hits.len();
}

fn main() {}

//~ remedy
//~ - fn suffer(hits: MessageReader<Hit, KeepLatest<0>>) {
//~ + fn suffer(hits: MessageReader<Hit, KeepLatest<1>>) {
