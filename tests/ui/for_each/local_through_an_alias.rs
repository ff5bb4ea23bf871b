//! An alias of a `Local` is a `Local`.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

type Count<'a> = Local<'a, u32>;

#[system(for_each)]
fn shift(position: &mut Position, other: Count) {
    let _ = (position, other);
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn shift(position: &mut Position, other: Count) {
//~ + #[system]
//~ + fn shift(position: Query<&mut Position>, other: Count) {
