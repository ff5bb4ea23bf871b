//! The signature of a spanning group has no return type.

use schedule::prelude::*;

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn search(path: &mut Path) {
    path.0.clear();
}

schedule! {
    Planning { search }
}

#[system(spanning = Planning)]
fn plan(path: &mut Path) -> Result<(), BoxError>;

fn main() {}

//~ remedy
//~ - fn plan(path: &mut Path) -> Result<(), BoxError>;
//~ + fn plan(path: &mut Path);
