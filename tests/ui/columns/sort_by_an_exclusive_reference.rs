//! A key is computed from components that it only reads.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(u32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system]
fn sort(trees: &mut Columns<Tree>) {
    trees.sort_by_key::<&mut Height, _>(|height| height.0);
}

fn main() {}

//~ remedy
//~ -     trees.sort_by_key::<&mut Height, _>(|height| height.0);
//~ +     trees.sort_by_key::<&Height, _>(|height| height.0);
