use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &Health) -> Result<(), impl std::error::Error + use<>> {
    if health.0 < 0 {
        Err(std::fmt::Error)
    } else {
        Ok(())
    }
}

fn main() {}
