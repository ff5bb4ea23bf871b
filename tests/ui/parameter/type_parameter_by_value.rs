use schedule::prelude::*;

#[system]
fn spawn<T: Resource>(value: T) {
    let _ = value;
}

fn main() {}
