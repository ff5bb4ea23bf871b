use schedule::prelude::*;

#[system]
trait Poison {}

fn main() {}
