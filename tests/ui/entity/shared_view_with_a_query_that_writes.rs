//! A query that writes needs an exclusive reference to the view.

use schedule::dynamic::DynamicSystem;
use schedule::entity::{ComponentId, DynamicQuery};
use schedule::prelude::*;
use schedule_hecs::ViewExt;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

fn main() {
    let position = ComponentId::<World>::of::<Position>();
    let clear = DynamicSystem::new("clear", |view| {
        let mut all: Query<&mut Position> = view.query()?;
        all.iter_mut().for_each(drop);
        Ok::<(), BoxError>(())
    });
    let _ = clear.queries(DynamicQuery::new().writes(position));
}

//~ remedy
//~ - let mut all: Query<&mut Position> = view.query()?;
//~ + let mut all: Query<&mut Position> = view.query_mut()?;
