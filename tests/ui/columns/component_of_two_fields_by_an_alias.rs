//! Macros do not see what an alias stands for.

use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component)]
struct Length(f32);

type Shade = Length;

#[derive(Columns)]
struct Tree {
    height: Length,
    shade: Shade,
}

fn main() {}

//~ remedy
//~ - type Shade = Length;
//~ + #[derive(Component)]
//~ + struct Shade(Length);
