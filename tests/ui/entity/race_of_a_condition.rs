//! A condition that queries components accesses them.

use schedule::prelude::*;
use schedule_hecs::prelude::*;

#[derive(Component)]
struct Position;

#[system]
fn is_inside(all: Query<&Position>) -> bool {
    all.is_empty()
}

#[system]
fn integrate(_: Query<&mut Position>) {}

#[system]
fn report() {}

schedule! {
    Frame {
        integrate,
        report: if is_inside,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - report: if is_inside,
//~ + is_inside: after integrate,
//~ + report: if is_inside,
