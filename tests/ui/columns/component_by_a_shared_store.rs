//! Two systems that share a store can run at the same time, so a shared store gives no access to components.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system]
fn measure(trees: &Columns<Tree>) {
    let _ = trees.column::<Height>();
}

fn main() {}

//~ remedy
//~ - fn measure(trees: &Columns<Tree>) {
//~ -     let _ = trees.column::<Height>();
//~ + fn measure(heights: schedule::columns::ColumnRef<Tree, Height>) {
//~ +     let _ = heights;
