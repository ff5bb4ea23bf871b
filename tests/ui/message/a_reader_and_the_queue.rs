//! A system that takes the queue of messages reads them through it.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[system]
fn forget(hits: MessageReader<Hit>, queue: &mut Messages<Hit>) {
    if hits.is_empty() {
        queue.clear();
    }
}

fn main() {}

//~ remedy
//~ - fn forget(hits: MessageReader<Hit>, queue: &mut Messages<Hit>) {
//~ -     if hits.is_empty() {
//~ + fn forget(queue: &mut Messages<Hit>) {
//~ +     if queue.is_empty() {
