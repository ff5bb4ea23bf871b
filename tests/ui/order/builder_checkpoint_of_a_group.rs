use schedule::prelude::*;

#[derive(Group)]
struct Physics;

fn main() {
    Schedule::builder().checkpoint::<Physics>();
}
