use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn duel(mine: (Local<u32>, &mut Health), yours: (&mut Health, Commands)) {
    mine.1.0 -= yours.0.0;
}

fn main() {}
