use schedule::prelude::*;

schedule! { Frame {} }

#[system(schedule = Frame)]
fn poison() {}

fn main() {
    Frame::new();
}
