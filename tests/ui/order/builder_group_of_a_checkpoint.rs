use schedule::prelude::*;

#[derive(Checkpoint)]
struct Ready;

fn main() {
    Schedule::builder().group::<Ready>();
}
