use schedule::prelude::*;

struct Window(u32);

#[system]
fn draw(window: NonSend<Window>) {
    let _ = window.0;
}

fn main() {}
