//! Only a condition can be evaluated.
use schedule::prelude::*;

#[derive(Resource)]
struct Water(i32);

#[system]
fn drain(water: &mut Water) {
    water.0 -= 1;
}

fn main() {
    let mut resources = Resources::new();
    resources.insert(Water(1));
    let _ = schedule::evaluate_one::<drain>(&mut resources);
}

