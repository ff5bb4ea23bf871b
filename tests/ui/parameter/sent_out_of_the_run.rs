use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

use std::sync::Mutex;

static KEPT: Mutex<Option<&'static Health>> = Mutex::new(None);

#[system]
fn keep<'r: 'static>(health: &'r Health) {
    *KEPT.lock().unwrap() = Some(health);
}

fn main() {}
