use schedule::prelude::*;

#[derive(Checkpoint)]
struct Ready<const N: usize>;

fn main() {}
