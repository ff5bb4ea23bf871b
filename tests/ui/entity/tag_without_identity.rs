//! The tag of a world has an identity.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

struct Ships;

#[system]
fn draw(all: Query<&Position, (), Ships>) {
    all.iter().for_each(drop);
}

fn main() {}

//~ remedy
//~ - struct Ships;
//~ + #[derive(Identity)]
//~ + struct Ships;
