use std::sync::MutexGuard;

use schedule::prelude::*;

#[derive(Resource)]
struct Lock(MutexGuard<'static, u32>);

fn main() {}
