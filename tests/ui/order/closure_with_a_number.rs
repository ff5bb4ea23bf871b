use schedule::prelude::*;

fn main() {
    Schedule::builder().add_closure("heal", |_amount: u32| ());
}
