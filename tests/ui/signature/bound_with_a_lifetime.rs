use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

trait From2<'r> {}

#[system]
fn poison<'r, T: Resource + From2<'r>>(health: &'r mut Health, other: &'r T) {
    let _ = (health, other);
}

fn main() {}
