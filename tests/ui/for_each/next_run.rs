//! A `for_each` system cannot make requests for the next run.

use schedule::param::NextRun;
use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system(for_each)]
fn shift(position: &mut Position, next_run: NextRun) {
    let _ = (position, next_run);
}

fn main() {}

//~ remedy
//~ - #[system(for_each)]
//~ - fn shift(position: &mut Position, next_run: NextRun) {
//~ + #[system]
//~ + fn shift(position: Query<&mut Position>, next_run: NextRun) {
