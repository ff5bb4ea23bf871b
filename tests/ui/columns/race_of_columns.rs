//! Two systems that access a column, one of which writes it, need an order.

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
fn grow(mut heights: ColumnMut<Tree, Height>) {
    heights[0].0 += 1.0;
}

#[system]
fn measure(heights: ColumnRef<Tree, Height>) {
    let _ = heights;
}

schedule! {
    Year {
        grow,
        measure,
    }
}

fn main() {}

//~ remedy
//~ - grow,
//~ - measure,
//~ + grow -> measure,
