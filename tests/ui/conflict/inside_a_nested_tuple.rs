use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn duel(both: (&mut Health, (Local<u32>, Option<&mut Health>))) {
    both.0.0 += 1;
}

fn main() {}
