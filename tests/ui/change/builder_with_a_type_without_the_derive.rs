//! A condition of a builder watches only resources.

use schedule::prelude::*;

struct Map(u32);

#[system]
fn draw() {
    let _ = Map(0).0;
}

fn main() {
    let mut builder = Schedule::builder();
    builder.add::<draw>().run_if(Condition::removed::<Map>());
}

//~ remedy
//~ - struct Map(u32);
//~ + #[derive(Resource)]
//~ + struct Map(u32);
