use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn duel(mine: &mut Health, yours: &mut Health) {
    mine.0 -= yours.0;
}

fn main() {}
