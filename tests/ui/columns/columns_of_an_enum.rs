//! A kind of entity is a struct, not an enum.

use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
enum Tree {
    Oak { height: Height },
}

fn main() {}

//~ remedy
//~ - enum Tree {
//~ -     Oak { height: Height },
//~ + struct Tree {
//~ +     height: Height,
