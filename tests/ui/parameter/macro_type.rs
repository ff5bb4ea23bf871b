use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

macro_rules! amount {
    () => {
        u32
    };
}

#[system]
fn poison(amount: &amount!(), health: &mut Health) {
    health.0 -= *amount as i32;
}

fn main() {}
