//! A column is swapped with the buffer of the same component.

use schedule::columns::{Buffer, ColumnMut, Columns};
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(u32);

#[derive(Component)]
struct Age(u32);

#[derive(Columns)]
struct Tree {
    height: Height,
    age: Age,
    next_age: Buffer<Age>,
}

#[system]
fn advance(mut heights: ColumnMut<Tree, Height>, mut next: ColumnMut<Tree, Buffer<Age>>) {
    ColumnMut::swap(&mut heights, &mut next);
}

fn main() {}

//~ remedy
//~ - fn advance(mut heights: ColumnMut<Tree, Height>, mut next: ColumnMut<Tree, Buffer<Age>>) {
//~ + fn advance(mut heights: ColumnMut<Tree, Age>, mut next: ColumnMut<Tree, Buffer<Age>>) {
