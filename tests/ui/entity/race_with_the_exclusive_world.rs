//! A system that takes the world exclusively needs an order against every query.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn spawn(world: &mut World) {
    world.spawn((Position,));
}

#[system]
fn draw(_: Query<&Position>) {}

schedule! {
    Frame {
        spawn,
        draw,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - draw,
//~ + draw: after spawn,
