use schedule::prelude::*;

#[derive(Resource)]
struct Assets<T>(Vec<T>);

#[system]
fn load(known: &Assets<Option<u8>>, assets: &mut Assets<Option<u8>>) {
    assets.0.extend(&known.0);
}

fn main() {}
