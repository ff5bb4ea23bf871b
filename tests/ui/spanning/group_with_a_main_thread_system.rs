//! No system of a spanning group is bound to the main thread.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn search(path: &mut Path) {
    path.0.clear();
}

schedule! {
    Planning { search: main_thread }
}

#[system(spanning = Planning)]
fn plan(path: &mut Path);

fn main() {}

//~ remedy
//~ - Planning { search: main_thread }
//~ + Planning { search }
