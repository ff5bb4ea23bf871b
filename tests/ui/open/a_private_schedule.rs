use schedule::prelude::*;

mod village {
    schedule::schedule! { open Frame {} }
}

#[system(schedule = village::Frame)]
fn poison() {}

fn main() {}
