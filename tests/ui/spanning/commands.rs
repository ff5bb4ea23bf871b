use schedule::prelude::*;

#[system(spanning)]
fn plan(commands: Commands) {}

fn main() {
    let _ = plan;
}
