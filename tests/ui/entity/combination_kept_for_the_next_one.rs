//! The items of a combination must be gone before the next combination.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn collide(mut all: Query<&mut Position>) {
    let mut pairs = all.iter_combinations_mut();
    let first = pairs.fetch_next();
    let Some([third, fourth]) = pairs.fetch_next() else { return };
    let _: (Option<[_; 2]>, _, _) = (first, third, fourth);
}

fn main() {}

//~ remedy
//~ -     let first = pairs.fetch_next();
//~ +     let _: Option<[_; 2]> = pairs.fetch_next();
//~
//~ -     let _: (Option<[_; 2]>, _, _) = (first, third, fourth);
//~ +     let _ = (third, fourth);
