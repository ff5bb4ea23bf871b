//! A `for_each` system cannot read a column that it writes for the entity.

use schedule::columns::{ColumnRef, Columns};
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system(for_each = Columns<Tree>)]
fn level(height: &mut Height, all: ColumnRef<Tree, Height>) {
    height.0 = all[0].0;
}

fn main() {}

//~ remedy
//~ - use schedule::columns::{ColumnRef, Columns};
//~ + use schedule::columns::{ColumnMut, Columns};
//~
//~ - #[system(for_each = Columns<Tree>)]
//~ - fn level(height: &mut Height, all: ColumnRef<Tree, Height>) {
//~ -     height.0 = all[0].0;
//~ + #[system]
//~ + fn level(mut all: ColumnMut<Tree, Height>) {
//~ +     all[0].0 += 1.0;
