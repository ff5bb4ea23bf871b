//! The conditions of a spanning group read only what its signature takes.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Map(Vec<u32>);

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn is_large(map: &Map) -> bool {
    map.0.len() > 10
}

#[system]
fn search(path: &mut Path) {
    path.0.clear();
}

schedule! {
    Planning { search: if is_large }
}

#[system(spanning = Planning)]
fn plan(path: &mut Path);

fn main() {}

//~ remedy
//~ - fn plan(path: &mut Path);
//~ + fn plan(map: &Map, path: &mut Path);
