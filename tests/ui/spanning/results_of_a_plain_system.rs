//! Only a spanning system has results.

use schedule::prelude::*;
use schedule::spanning::results;

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system]
fn plan(path: &mut Path) {
    path.0.clear();
}

fn main() {
    let _ = Schedule::builder().add::<results<plan>>().build();
}

//~ remedy
//~ - #[system]
//~ + #[system(spanning)]
