use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn spawn(commands: &mut Commands) {
    commands.insert(Health(10));
}

fn main() {}
