//! A component is in one field of a kind.

use schedule::columns::Columns;
use schedule::entity::Component;

#[derive(Component)]
struct Length(f32);

#[derive(Columns)]
struct Tree {
    height: Length,
    shade: Length,
}

fn main() {}

//~ remedy
//~ - #[derive(Columns)]
//~ + #[derive(Component)]
//~ + struct Shade(Length);
//~ + #[derive(Columns)]
//~
//~ - shade: Length,
//~ + shade: Shade,
