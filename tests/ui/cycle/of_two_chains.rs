//! Each arrow of a chain is an order.

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
