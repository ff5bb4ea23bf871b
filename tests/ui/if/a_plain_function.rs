use schedule::prelude::*;

fn is_alive() -> bool {
    true
}

#[system(if = is_alive)]
fn poison() {}

fn main() {}
