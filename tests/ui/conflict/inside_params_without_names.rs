use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(Params)]
struct Duel<'r>(&'r Health, Option<&'r mut Health>);

fn main() {}
