//! The values of a queue need an identity.

use schedule::prelude::*;
use schedule::spanning::Queue;

#[derive(Clone)]
struct Path(u32);

#[system]
fn walk(paths: &mut Queue<Path>) {
    paths.drain().for_each(|path| drop(path.0));
}

fn main() {}
