use schedule::prelude::*;

#[allow(non_camel_case_types)]
struct poison {}

#[system]
fn poison() {}

fn main() {}
