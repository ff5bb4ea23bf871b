//! A spanning system takes only what can be copied.

use schedule::prelude::*;

#[system(spanning)]
fn plan(_commands: Commands) {}

fn main() {
    let _ = plan;
}

//~ remedy
//~ - fn plan(_commands: Commands) {}
//~ + fn plan() {}
