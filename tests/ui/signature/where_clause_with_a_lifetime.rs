use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison<'r, T: Resource>(health: &'r mut Health, other: &'r T)
where
    &'r T: Into<i32>,
{
    health.0 -= other.into();
}

fn main() {}
