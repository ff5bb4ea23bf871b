//! A `for_each` system cannot write a whole column.

use schedule::columns::{ColumnMut, Columns};
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system(for_each = Columns<Tree>)]
fn grow(mut heights: ColumnMut<Tree, Height>) {
    heights[0].0 += 1.0;
}

fn main() {}

//~ remedy
//~ - #[system(for_each = Columns<Tree>)]
//~ + #[system]
//~ remedy
//~ - fn grow(mut heights: ColumnMut<Tree, Height>) {
//~ -     heights[0].0 += 1.0;
//~ + fn grow(height: &mut Height) {
//~ +     height.0 += 1.0;
