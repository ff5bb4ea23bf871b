use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system]
fn bite() {}

#[system(if = (is_near, not(or(is_near, bite))))]
fn poison() {}

fn main() {}
