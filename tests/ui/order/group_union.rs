use schedule::prelude::*;

#[derive(Group)]
union Physics {
    number: u32,
}

fn main() {}
