#![deny(deprecated)]

use schedule::prelude::*;

#[deprecated]
#[system]
fn poison() {}

fn main() {
    Schedule::builder().add::<poison>();
}
