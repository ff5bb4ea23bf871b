//! A type of another crate needs a wrapper.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[system]
fn wait(all: Query<&std::time::Duration>) {
    let _ = all.iter().len();
}

fn main() {}

//~ remedy
//~ - #[system]
//~ + #[derive(Component)]
//~ + struct Mine(std::time::Duration);
//~ + #[system]
//~ - fn wait(all: Query<&std::time::Duration>) {
//~ + fn wait(all: Query<&Mine>) {
