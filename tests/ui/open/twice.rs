use schedule::prelude::*;

schedule! { open Frame {} }

#[system(schedule = Frame, schedule = Frame)]
fn poison() {}

fn main() -> Result<(), schedule::BuildError> {
    Frame::new().map(drop)
}
