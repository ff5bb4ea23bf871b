use schedule::prelude::*;

struct Mesh;

#[system]
fn spawn<T>() {}

fn main() {
    Schedule::builder().add::<spawn<Mesh>>();
}
