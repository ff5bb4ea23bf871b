//! A reader of results is ordered against them.

use schedule::prelude::*;
use schedule::spanning::results;

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system(spanning)]
fn plan(path: &mut Path) {
    path.0.clear();
}

#[system]
fn follow(path: &Path) {
    assert!(path.0.is_empty());
}

schedule! {
    Frame { results<plan>, plan, follow }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - Frame { results<plan>, plan, follow }
//~ + Frame { results<plan>, plan, follow: after results<plan> }
