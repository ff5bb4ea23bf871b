//! The parameters of a spanning system do not conflict.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Map(Vec<u32>);

#[system(spanning)]
fn plan(map: &Map, same: &mut Map) {
    same.0 = map.0.clone();
}

fn main() {
    let _ = plan;
}

//~ remedy
//~ - fn plan(map: &Map, same: &mut Map) {
//~ -     same.0 = map.0.clone();
//~ + fn plan(map: &mut Map) {
//~ +     map.0.clear();
