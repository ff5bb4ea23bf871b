use schedule::prelude::*;

#[system(main_thread = 3)]
fn draw() {}

fn main() {
    draw();
}
