use schedule::prelude::*;

#[system]
fn integrate() {}

fn main() {
    Schedule::builder().add::<integrate>().in_group::<integrate>();
}
