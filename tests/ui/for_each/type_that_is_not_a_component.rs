//! A component needs `#[derive(Component)]`.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

struct Velocity(f32);

#[system(for_each)]
fn shift(position: &mut Position, velocity: Option<&mut Velocity>) {
    position.0 += velocity.map_or(0.0, |velocity| velocity.0);
}

fn main() {}

//~ remedy
//~ - struct Velocity(f32);
//~ + #[derive(Component)]
//~ + struct Velocity(f32);
