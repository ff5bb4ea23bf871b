use schedule::prelude::*;
use schedule::spanning::results;

#[derive(Resource, Clone)]
struct Path(Vec<u32>);

#[system(spanning)]
fn plan(path: &mut Path) {}

#[system]
fn follow(path: &Path) {}

schedule! {
    Frame { results<plan>, plan, follow }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - Frame { results<plan>, plan, follow }
//~ + Frame { results<plan>, plan, follow: after results<plan> }
