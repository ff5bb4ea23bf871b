use schedule::prelude::*;

#[system(spanning, spanning)]
fn plan() {}

fn main() {
    plan();
}

//~ remedy
//~ - #[system(spanning, spanning)]
//~ + #[system(spanning)]
