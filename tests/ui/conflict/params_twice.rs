use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Body<'r> {
    health: &'r mut Health,
}

#[system]
fn duel(mine: Body, yours: Body) {
    mine.health.0 -= yours.health.0;
}

fn main() {}
