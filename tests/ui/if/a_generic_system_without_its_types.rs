use schedule::prelude::*;

#[system]
fn is_full<T: Resource>(_: &T) -> bool {
    true
}

#[system(if = is_full)]
fn poison() {}

fn main() {}
