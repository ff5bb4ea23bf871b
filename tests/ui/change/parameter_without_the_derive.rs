//! `Ref` reads only resources.

use schedule::prelude::*;

struct Map(u32);

#[system]
fn draw(map: Ref<Map>) {
    let _ = map.0;
}

fn main() {}

//~ remedy
//~ - struct Map(u32);
//~ + #[derive(Resource)]
//~ + struct Map(u32);
