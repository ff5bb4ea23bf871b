//! A spanning group writes only what its signature takes by `&mut`.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Map(Vec<u32>);

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn search(map: &Map, path: &mut Path) {
    path.0.clone_from(&map.0);
}

schedule! {
    Planning { search }
}

#[system(spanning = Planning)]
fn plan(map: &Map, path: &Path);

fn main() {}

//~ remedy
//~ - fn plan(map: &Map, path: &Path);
//~ + fn plan(map: &Map, path: &mut Path);
