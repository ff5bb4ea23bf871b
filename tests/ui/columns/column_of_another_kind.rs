//! A column has a component of its own kind.

use schedule::columns::{ColumnRef, Columns};
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Component)]
struct Speed(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[derive(Columns)]
struct Deer {
    speed: Speed,
}

#[system]
fn race(speeds: ColumnRef<Tree, Speed>) {
    let _ = speeds;
}

fn main() {}

//~ remedy
//~ - fn race(speeds: ColumnRef<Tree, Speed>) {
//~ + fn race(speeds: ColumnRef<Deer, Speed>) {
