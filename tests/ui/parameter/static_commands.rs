use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn spawn(mut commands: Commands<'static>) {
    commands.insert(Health(10));
}

fn main() {}
