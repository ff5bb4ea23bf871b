use schedule::prelude::*;

#[system]
fn poison(health: &mut impl Resource) {
    let _ = health;
}

fn main() {}
