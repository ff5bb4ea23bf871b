use schedule::prelude::*;

#[system]
fn poison(health: impl Into<i32>) {
    let _ = health.into();
}

fn main() {}
