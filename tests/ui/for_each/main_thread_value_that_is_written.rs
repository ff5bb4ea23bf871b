//! A `for_each` system cannot write a main-thread value.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Identity)]
struct Window;

#[system(for_each)]
fn shift(position: &mut Position, other: NonSendMut<Window>) {
    let _ = (position, other);
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn shift(position: &mut Position, other: NonSendMut<Window>) {
//~ + #[system]
//~ + fn shift(position: Query<&mut Position>, other: NonSendMut<Window>) {
