use schedule::prelude::*;

#[system]
fn poison(health: Option<&impl Resource>) {
    let _ = health;
}

fn main() {}
