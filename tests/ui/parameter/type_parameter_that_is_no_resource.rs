use schedule::prelude::*;

#[system]
fn spawn<T>(value: &mut T) {
    let _ = value;
}

fn main() {}
