//! Only components are saved.

use schedule_hecs::prelude::*;

#[derive(SavedComponent, Clone)]
struct Position(f32);

fn main() {}

//~ remedy
//~ - #[derive(SavedComponent, Clone)]
//~ + #[derive(Component, SavedComponent, Clone)]
