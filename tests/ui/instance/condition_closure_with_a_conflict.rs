use schedule::{Condition, prelude::*};

#[derive(Resource)]
struct Health(i32);

fn main() {
    let _ = Condition::closure("alive", |health: &Health, again: &mut Health| {
        health.0 > again.0
    });
}
