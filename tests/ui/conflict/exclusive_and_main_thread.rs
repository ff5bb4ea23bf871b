use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[derive(schedule::Identity)]
struct Window(u32);

#[system]
fn draw(resources: &mut Resources, window: NonSend<Window>) {
    resources.insert(Health(window.0 as i32));
}

fn main() {}
