use schedule::prelude::*;

#[system]
union Poison {
    amount: u32,
}

fn main() {}
