//! A kind of entity has named fields.

use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
struct Tree(Height);

fn main() {}

//~ remedy
//~ - struct Tree(Height);
//~ + struct Tree {
//~ +     height: Height,
//~ + }
