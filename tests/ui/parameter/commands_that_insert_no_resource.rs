use schedule::prelude::*;

#[system]
fn spawn(mut commands: Commands<Inserts<u32>>) {
    commands.push(|_| ());
}

fn main() {}
