//! A filter names only components that the entities have.

use schedule::columns::Columns;
use schedule::entity::Component;
use schedule::prelude::*;

#[derive(Component)]
struct Height(f32);

#[derive(Component)]
struct Shade(f32);

#[derive(Columns)]
struct Tree {
    height: Height,
}

#[system(for_each = Columns<Tree>, without = Shade)]
fn grow(height: &mut Height) {
    height.0 += 1.0;
}

fn main() {}

//~ remedy
//~ - #[system(for_each = Columns<Tree>, without = Shade)]
//~ + #[system(for_each = Columns<Tree>)]
