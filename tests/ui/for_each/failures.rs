//! A `for_each` system cannot take the failures before it.

use schedule::param::Failures;
use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(position: &mut Position, failures: Failures) {
    let _ = (position, failures);
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn shift(position: &mut Position, failures: Failures) {
//~ + #[system]
//~ + fn shift(position: Query<&mut Position>, failures: Failures) {
