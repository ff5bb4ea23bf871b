//! The values of a queue need an identity.

use schedule::prelude::*;
use schedule::spanning::Queue;

#[derive(Clone)]
struct Path(u32);

#[system(spanning)]
fn walk(paths: &mut Queue<Path>) {
    let sum: u32 = paths.drain().map(|path| path.0).sum();
    assert!(sum < 10);
}

fn main() {}

//~ remedy
//~ - struct Path(u32);
//~ + #[derive(Identity)]
//~ + struct Path(u32);
