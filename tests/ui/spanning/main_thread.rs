//! A spanning system is not bound to the main thread.

use schedule::prelude::*;

#[system(spanning, main_thread)]
fn plan() {}

fn main() {
    plan();
}

//~ remedy
//~ - #[system(spanning, main_thread)]
//~ + #[system(spanning)]
