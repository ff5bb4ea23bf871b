//! A system cannot take a column beside its whole store.

use schedule::columns::{ColumnRef, Columns};
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system]
fn fell(trees: &mut Columns<Tree>, heights: ColumnRef<Tree, Height>) {
    if heights[0].0 > 9.0 {
        trees.despawn(trees.ids()[0]);
    }
}

fn main() {}

//~ remedy
//~ - fn fell(trees: &mut Columns<Tree>, heights: ColumnRef<Tree, Height>) {
//~ -     if heights[0].0 > 9.0 {
//~ + fn fell(trees: &mut Columns<Tree>) {
//~ +     if trees.column::<Height>()[0].0 > 9.0 {
