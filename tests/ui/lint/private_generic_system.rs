#![deny(dead_code)]

use schedule::prelude::*;

#[system]
fn spawn<T: Resource>(value: &mut T) {
    let _ = value;
}

fn main() {}
