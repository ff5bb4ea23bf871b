//! Filters are compared by their content, also if identities are written by hand so that both get the same number.

use schedule::prelude::*;
use schedule_hecs::prelude::*;
use schedule_tests::same_number::{Salty, Wet};

#[derive(Component)]
struct Position;

#[system]
fn float(_: Query<&mut Position, With<Wet>>, _: Query<&mut Position, (Without<Wet>, With<Salty>)>) {}

#[system]
fn dry(_: Query<&mut Position, Without<Wet>>) {}

schedule! {
    Frame {
        float,
        dry,
    }
}

fn main() {
    Frame::new();
}

//~ remedy
//~ - dry,
//~ + dry: after float,
