use schedule::prelude::*;

#[system]
fn is_near() -> bool {
    true
}

#[system(if = is_neat)]
fn poison() {}

fn main() {}
