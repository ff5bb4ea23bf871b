use schedule::prelude::*;

#[system]
fn spawn(value: &mut _) {
    let _ = value;
}

fn main() {}
