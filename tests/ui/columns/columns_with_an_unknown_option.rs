//! `#[columns(…)]` has only known options.

use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component)]
struct Height(f32);

#[derive(Columns)]
#[columns(sparse)]
struct Tree {
    height: Height,
}

fn main() {}

//~ remedy
//~ - #[columns(sparse)]
