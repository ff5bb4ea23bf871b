use schedule::prelude::*;

#[derive(Resource)]
struct Name(String);

#[system]
fn poison<'r>(name: &'r Name) -> Result<(), &'r str> {
    Err(&name.0)
}

fn main() {}
