use schedule::prelude::*;

#[system]
enum Poison {
    Snake,
}

fn main() {}
