//! The option `spanning` is given once.

use schedule::prelude::*;

#[system(spanning, spanning)]
fn plan() {}

fn main() {
    plan();
}

//~ remedy
//~ - #[system(spanning, spanning)]
//~ + #[system(spanning)]
