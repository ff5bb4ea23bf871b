use schedule::prelude::*;

#[system]
fn clear(resources: Resources) {
    drop(resources);
}

fn main() {}
