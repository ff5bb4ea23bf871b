use schedule::prelude::*;

#[system(main_thread, main_thread)]
fn draw() {}

fn main() {
    draw();
}
