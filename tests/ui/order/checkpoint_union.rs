use schedule::prelude::*;

#[derive(Checkpoint)]
union Ready {
    number: u32,
}

fn main() {}
