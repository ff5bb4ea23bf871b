//! A schedule is not a resource, because it is not `Sync`.

use schedule::prelude::*;

fn main() {
    Schedule::builder().add_closure("show", |physics: &Schedule| println!("{}", physics.name()));
}

