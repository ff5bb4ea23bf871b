//! A kind of entity is a struct, not a union.

use core::mem::ManuallyDrop;

use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
union Tree {
    height: ManuallyDrop<Height>,
}

fn main() {}

//~ remedy
//~ - union Tree {
//~ -     height: ManuallyDrop<Height>,
//~ + struct Tree {
//~ +     height: Height,
