use schedule::prelude::*;

#[derive(Resource)]
struct Map(Vec<u32>);

#[system(spanning)]
fn plan(map: &Map) {}

fn main() {
    plan(&Map(Vec::new()));
}

//~ remedy
//~ - #[derive(Resource)]
//~ + #[derive(Resource, Clone)]
