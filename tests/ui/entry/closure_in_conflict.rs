//! The parameters of a closure do not conflict.

use schedule::prelude::*;

#[derive(Resource)]
struct Health(i32);

schedule! {
    Frame {
        |all: &mut Health, one: &Health| { all.0 += one.0 } as heal,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - |all: &mut Health, one: &Health| { all.0 += one.0 } as heal,
//~ + |all: &mut Health| { all.0 += all.0 } as heal,
