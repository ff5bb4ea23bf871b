//! A reader of messages needs an order with their writers.

use schedule::prelude::*;

#[derive(Message)]
struct Hit(u32);

#[system]
fn sword(mut hits: MessageWriter<Hit>) {
    hits.write(Hit(1));
}

#[system]
fn suffer(hits: MessageReader<Hit>) {
    let _ = hits.len();
}

schedule! {
    Fight {
        sword,
        suffer,
    }
}

fn main() {}

//~ remedy
//~ -         suffer,
//~ +         suffer: after sword,
