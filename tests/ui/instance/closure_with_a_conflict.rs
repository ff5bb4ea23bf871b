use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

fn main() {
    Schedule::builder().add_closure("heal", |health: &mut Health, again: &Health| {
        health.0 += again.0;
    });
}
