//! A component owns its data.

use schedule_hecs::prelude::*;

#[derive(Component)]
struct Label<'a>(&'a str);

fn main() {}

//~ remedy
//~ - struct Label<'a>(&'a str);
//~ + struct Label(String);
