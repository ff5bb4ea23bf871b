use schedule::prelude::*;

#[system]
fn poison() {}

fn main() {
    Schedule::builder().add(poison);
}
