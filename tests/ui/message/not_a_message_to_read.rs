//! Only a type with `#[derive(Message)]` can be read.

use schedule::prelude::*;

struct Hit(u32);

#[system]
fn suffer(hits: MessageReader<Hit>) {
    let _ = hits.len();
}

fn main() {}

//~ remedy
//~ - struct Hit(u32);
//~ + #[derive(Message)]
//~ + struct Hit(u32);
