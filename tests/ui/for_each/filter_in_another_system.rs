//! Only `for_each` systems have the option `with`.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(with = Position)]
fn count(entities: Query<Entity>) {
    let _ = entities.len();
}

fn main() {}

//~ remedy
//~ - #[system(with = Position)]
//~ - fn count(entities: Query<Entity>) {
//~ + #[system]
//~ + fn count(entities: Query<Entity, With<Position>>) {
