use schedule::prelude::*;

struct NotOrdered;

#[system]
fn integrate() {}

fn main() {
    Schedule::builder().add::<integrate>().after::<NotOrdered>();
}
