use schedule::prelude::*;

schedule! { open Frame {} }

#[system(schedule = Frame)]
fn poison<const N: usize>() {}

fn main() -> Result<(), schedule::BuildError> {
    Frame::new().map(drop)
}
