use schedule::prelude::*;

#[system(spanning)]
fn plan(_commands: Commands) {}

fn main() {
    let _ = plan;
}
