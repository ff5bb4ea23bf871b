//! An item of a query that writes borrows the query exclusively.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn swap(mut all: Query<(Entity, &mut Position)>) {
    let entities = all.iter_mut().map(|item| item.0).collect::<Vec<_>>();
    let one = all.get_mut(entities[0]);
    let other = all.get_mut(entities[1]);
    let _ = (one, other);
}

fn main() {}

//~ remedy
//~ - let one = all.get_mut(entities[0]);
//~ - let other = all.get_mut(entities[1]);
//~ + let [one, other] = all.get_many_mut([entities[0], entities[1]]);
