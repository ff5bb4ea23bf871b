//! A generic component has the bound `Component`.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[system]
fn draw<C: Identity + Send + Sync + 'static>(all: Query<&C>) {
    let _ = all.len();
}

fn main() {}

//~ remedy
//~ - fn draw<C: Identity + Send + Sync + 'static>(all: Query<&C>) {
//~ + fn draw<C: Component>(all: Query<&C>) {
