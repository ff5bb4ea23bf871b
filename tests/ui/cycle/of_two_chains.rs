//! A chain says as many orders as it has arrows.

use schedule::prelude::*;

#[system]
fn read() {}

#[system]
fn judge() {}

#[system]
fn write() {}

schedule! {
    Frame {
        read -> judge,
        write: after judge before read,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - write: after judge before read,
//~ + write: after judge,
