//! Several systems may read a component at the same time, on different threads.

use schedule_hecs::prelude::*;

#[derive(Component)]
struct Texture(std::cell::Cell<u8>);

fn main() {}

//~ remedy
//~ - struct Texture(std::cell::Cell<u8>);
//~ + struct Texture(u8);
