//! Each field of a kind is a component.

use schedule::columns::Columns;

struct Height(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

fn main() {}

//~ remedy
//~ - struct Height(f32);
//~ + #[derive(schedule::entity::Component)]
//~ + struct Height(f32);
