//! Several queries of a world are a tuple of queries, not of terms.

use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

fn main() {
    World::new().queries::<(&Position, &Position)>();
}

//~ remedy
//~ - World::new().queries::<(&Position, &Position)>();
//~ + World::new().queries::<(Query<&Position>, Query<&Position>)>();
