//! The whole store is a resource of a `for_each` system.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system(for_each = Columns<Tree>)]
fn count(height: &mut Height, trees: &Columns<Tree>) {
    height.0 = trees.len() as f32;
}

fn main() {}

//~ remedy
//~ - fn count(height: &mut Height, trees: &Columns<Tree>) {
//~ + fn count(height: &mut Height, #[resource] trees: &Columns<Tree>) {
