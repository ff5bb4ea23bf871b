use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

struct Overdose;

#[system]
fn poison(health: &Health) -> Result<(), Overdose> {
    if health.0 < 0 { Err(Overdose) } else { Ok(()) }
}

fn main() {}
