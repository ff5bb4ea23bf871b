//! A schedule with a spanning system contains its results.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system(spanning)]
fn plan(path: &mut Path) {
    path.0.clear();
}

schedule! {
    Frame { plan }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - Frame { plan }
//~ + Frame { schedule::spanning::results<plan>, plan }
