use schedule::prelude::*;

struct Health;

fn main() {
    Schedule::builder().add_closure("heal", |_health: &mut Health| ());
}
