//! A system cannot read a column that it writes.

use schedule::columns::{ColumnMut, ColumnRef, Columns};
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system]
fn grow(before: ColumnRef<Tree, Height>, mut after: ColumnMut<Tree, Height>) {
    after[0].0 = before[0].0;
}

fn main() {}

//~ remedy
//~ - fn grow(before: ColumnRef<Tree, Height>, mut after: ColumnMut<Tree, Height>) {
//~ -     after[0].0 = before[0].0;
//~ + fn grow(mut heights: ColumnMut<Tree, Height>) {
//~ +     heights[0].0 += 1.0;
