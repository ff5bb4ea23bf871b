use schedule::prelude::*;

#[derive(Group)]
struct Physics;

#[system(if = Physics)]
fn poison() {}

fn main() {}
