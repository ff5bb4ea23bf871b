use schedule::prelude::*;

#[system]
fn count() -> i32 {
    3
}

#[system(if = count)]
fn poison() {}

fn main() {}
