//! A resource cannot be disabled.

use schedule::param::NextRun;
use schedule::prelude::*;

#[derive(Resource)]
struct Camera;

#[system]
fn film(_camera: &mut Camera) {}

#[system]
fn save_energy(mut next_run: NextRun) {
    next_run.disable::<Camera>();
}

fn main() {}

//~ remedy
//~ -     next_run.disable::<Camera>();
//~ +     next_run.disable::<film>();
