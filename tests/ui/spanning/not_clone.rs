//! The resources of a spanning system can be copied.

use schedule::prelude::*;

#[derive(Resource)]
struct Map(Vec<u32>);

#[system(spanning)]
fn plan(map: &Map) {
    let _ = &map.0;
}

fn main() {
    plan(&Map(Vec::new()));
}

//~ remedy
//~ - #[derive(Resource)]
//~ + #[derive(Resource, Clone)]
