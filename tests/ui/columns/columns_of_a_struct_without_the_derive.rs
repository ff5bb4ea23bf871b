//! A kind of entity needs `#[derive(Columns)]`.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

struct Tree {
    height: Height,
}

#[system]
fn grow(trees: &mut Columns<Tree>) {
    let _ = trees;
}

fn main() {}

//~ remedy
//~ - struct Tree {
//~ + #[derive(Columns)]
//~ + struct Tree {
