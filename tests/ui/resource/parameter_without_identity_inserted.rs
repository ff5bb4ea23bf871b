use schedule::prelude::*;

struct Mesh;

#[derive(Resource)]
struct Assets<T>(Vec<T>);

fn main() {
    Resources::new().insert(Assets(vec![Mesh]));
}
