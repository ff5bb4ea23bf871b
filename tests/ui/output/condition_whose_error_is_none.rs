use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

struct Overdose;

#[system]
fn is_poisoned(health: &Health) -> Result<bool, Overdose> {
    if health.0 < 0 {
        Err(Overdose)
    } else {
        Ok(true)
    }
}

fn main() {}
