//! A saved component can be copied, or saved in some format.

use schedule::entity::Component;
use schedule_hecs::prelude::*;

#[derive(Component, SavedComponent)]
struct Position(f32);

fn main() {}

//~ remedy
//~ - #[derive(Component, SavedComponent)]
//~ + #[derive(Component, SavedComponent, Clone)]
