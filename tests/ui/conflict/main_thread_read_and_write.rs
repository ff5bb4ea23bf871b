use schedule::Identity;
use schedule::prelude::*;

#[derive(Identity)]
struct Window(u32);

#[system]
fn draw(old: NonSend<Window>, mut new: NonSendMut<Window>) {
    new.0 = old.0;
}

fn main() {}
