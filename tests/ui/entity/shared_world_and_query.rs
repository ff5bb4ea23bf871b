//! A shared world gives no access to components. An exclusive one, which the compiler proposes, conflicts with the query.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn count(world: &World, all: Query<&Position>) {
    assert_eq!(world.query::<&Position>().len(), all.iter().len());
}

#[system]
fn count_again(world: &mut World, all: Query<&Position>) {
    assert_eq!(world.query::<&Position>().len(), all.iter().len());
}

fn main() {}
