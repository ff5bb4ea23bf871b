use schedule::prelude::*;

schedule! { open Frame {} }

#[system(schedule = (Frame, Night))]
fn poison() {}

fn main() -> Result<(), schedule::BuildError> {
    Frame::new().map(drop)
}
