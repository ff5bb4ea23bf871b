use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Map(Vec<u32>);

#[system(spanning)]
fn plan(map: &Map, same: &mut Map) {}

fn main() {
    let _ = plan;
}
