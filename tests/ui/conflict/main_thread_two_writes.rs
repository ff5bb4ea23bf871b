use schedule::Identity;
use schedule::prelude::*;

#[derive(Identity)]
struct Window(u32);

#[system]
fn draw(mut front: NonSendMut<Window>, mut back: NonSendMut<Window>) {
    core::mem::swap(&mut *front, &mut *back);
}

fn main() {}
