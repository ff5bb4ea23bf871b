use schedule::prelude::*;

trait Shape {}

#[system]
fn draw(shape: &mut (dyn Shape + Send + Sync)) {
    let _ = shape;
}

fn main() {}
