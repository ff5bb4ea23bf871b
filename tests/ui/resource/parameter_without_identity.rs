use schedule::prelude::*;

struct Mesh;

#[derive(Resource)]
struct Assets<T>(Vec<T>);

#[system]
fn load(assets: &mut Assets<Mesh>) {
    assets.0.push(Mesh);
}

fn main() {}
