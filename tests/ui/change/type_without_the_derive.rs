//! A condition watches only resources.

use schedule::condition::changed;
use schedule::prelude::*;

struct Map(u32);

#[system(if = changed<Map>)]
fn draw() {
    let _ = Map(0).0;
}

fn main() {}

//~ remedy
//~ - struct Map(u32);
//~ + #[derive(Resource)]
//~ + struct Map(u32);
