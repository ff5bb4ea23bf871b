use schedule::prelude::*;

fn main() {
    Schedule::builder().add::<poison>();
}
