//! The parameters of a generic system may conflict in one instance and not in another.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Resource)]
struct Store<T>(T);

#[system]
fn poison<T: Send + Sync>(one: &Store<i32>, other: &mut Store<T>) {
    drop((one, other));
}

schedule! { Frame { poison<u32>, poison<i32> as second: after poison<u32> } }

fn main() {
    Frame::new();
}
