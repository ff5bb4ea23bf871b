use schedule::prelude::*;

#[system(spanning, main_thread)]
fn plan() {}

fn main() {
    plan();
}

//~ remedy
//~ - #[system(spanning, main_thread)]
//~ + #[system(spanning)]
