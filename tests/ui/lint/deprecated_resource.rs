#![deny(deprecated)]

use schedule::prelude::*;

#[deprecated]
#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &mut Health) {
    let _ = health;
}

fn main() {
    Schedule::builder().add::<poison>();
}
