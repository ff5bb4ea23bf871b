use schedule::prelude::*;

#[system]
unsafe trait Poison {}

fn main() {}
