use schedule::prelude::*;

#[derive(Resource)]
struct Water(i32);

#[system]
fn drain<T: Resource>(_: &mut T) {}

#[system(if = drain::<Water>)]
fn poison() {}

fn main() {}
