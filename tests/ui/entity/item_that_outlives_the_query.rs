//! An item of a query borrows the query.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn first(mut all: Query<&mut Position>) {
    let first = all.iter_mut().next();
    drop(all);
    let _ = first.is_some();
}

fn main() {}

//~ remedy
//~ - drop(all);
//~ - let _ = first.is_some();
//~ + let _ = first.is_some();
//~ + drop(all);
