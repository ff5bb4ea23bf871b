use schedule::prelude::*;

fn main() {
    Schedule::builder().add_closure("heal", |health| {
        let _ = health;
    });
}
