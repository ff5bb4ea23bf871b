//! A query without entities is empty, so there is no optional query.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn draw(all: Option<Query<&Position>>) {
    let _ = all.map(|all| all.len());
}

fn main() {}

//~ remedy
//~ - fn draw(all: Option<Query<&Position>>) {
//~ -     let _ = all.map(|all| all.len());
//~ + fn draw(all: Query<&Position>) {
//~ +     let _ = all.len();
