use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

type HealthMut<'r> = &'r mut Health;

#[system]
fn duel(mine: HealthMut, yours: HealthMut) {
    mine.0 -= yours.0;
}

fn main() {}
