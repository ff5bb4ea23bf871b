//! A `for_each` system takes only components that the entities have.

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

#[system(for_each = Columns<Tree>)]
fn grow(height: &mut Height, shade: &Shade) {
    height.0 -= shade.0;
}

fn main() {}

//~ remedy
//~ - height: Height,
//~ - }
//~ + height: Height,
//~ +     shade: Shade,
//~ + }
