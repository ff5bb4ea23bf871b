use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

fn main() {
    Schedule::builder().repeat_while_closure(
        "alive",
        |_: Local<u32>, health: &Health, again: &mut Health| health.0 > again.0,
        |builder| builder,
    );
}
