//! A closure is verified as other systems are.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

#[system]
fn poison(health: &mut Health) {
    health.0 -= 1;
}

#[system]
fn heal(health: &mut Health) {
    health.0 += 1;
}

#[system]
fn draw() {}

schedule! {
    Frame {
        poison,
        |health: &mut Health| { health.0 += 1 } as mend,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - |health: &mut Health| { health.0 += 1 } as mend,
//~ + |health: &mut Health| { health.0 += 1 } as mend: after poison,
