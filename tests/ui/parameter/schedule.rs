//! A schedule is not a resource, because it is not `Sync`.

use std::sync::Mutex;

use schedule::prelude::*;

#[derive(Resource)]
struct Physics(Mutex<Schedule>);

#[system]
fn step(physics: &mut Schedule, mut inner: Local<Resources>) {
    _ = physics.run(&mut inner);
}

fn main() {}

//~ remedy
//~ - fn step(physics: &mut Schedule, mut inner: Local<Resources>) {
//~ - _ = physics.run(&mut inner);
//~ + fn step(physics: &mut Physics, mut inner: Local<Resources>) {
//~ + _ = physics.0.get_mut().unwrap().run(&mut inner);
