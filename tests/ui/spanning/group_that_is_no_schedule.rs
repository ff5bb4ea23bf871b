//! The systems of a spanning group are listed in a `schedule!`.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn search(path: &mut Path) {
    path.0.clear();
}

#[system(spanning = search)]
fn plan(path: &mut Path);

fn main() {}

//~ remedy
//~ - #[system(spanning = search)]
//~ + schedule! { Planning { search } }
//~ + #[system(spanning = Planning)]
