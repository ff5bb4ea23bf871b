//! Only a type with `#[derive(Message)]` can be written.

use schedule::prelude::*;

struct Hit(u32);

#[system]
fn strike(mut hits: MessageWriter<Hit>) {
    hits.write(Hit(1));
}

fn main() {}

//~ remedy
//~ - struct Hit(u32);
//~ + #[derive(Message)]
//~ + struct Hit(u32);
