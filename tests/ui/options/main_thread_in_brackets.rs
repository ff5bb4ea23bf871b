use schedule::prelude::*;

#[system(main_thread(true))]
fn draw() {}

fn main() {
    draw();
}
