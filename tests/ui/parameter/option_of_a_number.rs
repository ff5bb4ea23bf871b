use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(amount: Option<&u32>) {
    let _ = amount;
}

fn main() {}
