use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Duel<'r> {
    mine: &'r mut Health,
    yours: &'r mut Health,
}

fn main() {}
