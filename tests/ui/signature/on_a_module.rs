use schedule::prelude::*;

#[system]
mod poison {}

fn main() {}
