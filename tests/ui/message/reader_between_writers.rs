//! A reader runs after all writers of its messages, or before all of them.

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

#[system]
fn arrow(mut hits: MessageWriter<Hit>) {
    hits.write(Hit(2));
}

schedule! {
    Fight {
        sword -> suffer -> arrow,
    }
}

fn main() {}

//~ remedy
//~ -         sword -> suffer -> arrow,
//~ +         (sword, arrow) -> suffer,
