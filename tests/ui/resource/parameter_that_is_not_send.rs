use std::sync::MutexGuard;

use schedule::Identity;
use schedule::prelude::*;

#[derive(Identity)]
struct Lock(MutexGuard<'static, u32>);

#[derive(Resource)]
struct Assets<T>(Vec<T>);

#[system]
fn load(assets: &mut Assets<Lock>) {
    assets.0.clear();
}

fn main() {}
