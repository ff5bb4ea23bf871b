use schedule::prelude::*;

#[derive(Checkpoint)]
struct Ready;

#[system]
fn integrate() {}

fn main() {
    Schedule::builder().chain::<(integrate, Ready)>();
}
