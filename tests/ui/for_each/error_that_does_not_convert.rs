//! The error of a `for_each` system converts into `BoxError`.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

struct Lost;

#[system(for_each)]
fn check(position: &Position) -> Result<(), Lost> {
    if position.0 < 0.0 { Err(Lost) } else { Ok(()) }
}

fn main() {}

//~ remedy
//~ - fn check(position: &Position) -> Result<(), Lost> {
//~ -     if position.0 < 0.0 { Err(Lost) } else { Ok(()) }
//~ + fn check(position: &Position) -> Result<(), &'static str> {
//~ +     if position.0 < 0.0 { Err("lost") } else { Ok(()) }
