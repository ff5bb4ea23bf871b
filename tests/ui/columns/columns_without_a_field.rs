//! A kind of entity has at least one field.

use schedule::columns::Columns;

#[derive(Columns)]
struct Tree;

fn main() {}

//~ remedy
//~ - #[derive(Columns)]
//~ - struct Tree;
//~ + #[derive(schedule::entity::Component)]
//~ + struct Height(f32);
//~ + #[derive(Columns)]
//~ + struct Tree { height: Height }
