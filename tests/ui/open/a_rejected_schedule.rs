use schedule::prelude::*;

schedule! { open Frame { poison heal } }

#[system(schedule = Frame)]
fn poison() {}

#[system]
fn heal() {}

fn main() -> Result<(), schedule::BuildError> {
    Frame::new().map(drop)
}
